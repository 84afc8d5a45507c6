"""Who may do what at the service: roles, keys, sessions of the pages."""
