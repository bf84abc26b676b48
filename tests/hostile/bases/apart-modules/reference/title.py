def title(text):
    return " ".join(word.capitalize() for word in text.split())
