"""The images of cases that describe how to build them.

describe      the inputs of such an image
case_images   builds them, each once and several at a time
image_room    how much disk the images of a run may take
unused        the images that no case needs any more
"""
