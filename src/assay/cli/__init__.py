"""The command line: thin verbs over the runtime, one file a noun."""
