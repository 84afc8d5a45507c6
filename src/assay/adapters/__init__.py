"""What can be plugged in: models, stores, engines, retrievers."""
