"""Pages for people: server-rendered, with words of one catalogue, over what the API calls too."""
