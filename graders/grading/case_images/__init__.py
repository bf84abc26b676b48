"""The images of cases that describe how to build them.

describe      the inputs of such an image
case_images   builds them, each once and several at a time
image_room    limits the disk space of a run's images
unused        the images that no case needs any more
"""
