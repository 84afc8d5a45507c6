"""Mail as it arrives: message, parts, quotes, endings, attachments."""
