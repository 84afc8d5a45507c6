"""How the tables came to be, in numbered steps. File names sort in order of application."""
