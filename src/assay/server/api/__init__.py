"""JSON for programs: thin routes over the runtime, one file a subject."""
