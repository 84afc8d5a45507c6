"""A folder of data becomes validated contracts. Pure."""
