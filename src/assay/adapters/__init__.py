"""What can be plugged in: models, stores, retrievers, documents."""
