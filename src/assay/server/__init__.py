"""The service: JSON for programs, pages for people, over the one runtime."""
