"""Questions answered from documents."""
