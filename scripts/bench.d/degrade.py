#!/usr/bin/env python3
"""What cameras, screens and printers do to a QR code: degrade.py CODE.png FOLDER writes one picture a way, always the same.

CODE.png has modules of 6 pixels or more. The strongest of most kinds are beyond what common decoders read.
"""
import io
import pathlib
import sys

import numpy
from PIL import Image, ImageFilter


def array(image):
    return numpy.asarray(image, dtype=float)


def picture(values):
    return Image.fromarray(numpy.clip(numpy.rint(values), 0, 255).astype(numpy.uint8))


def rotated(image, degrees):
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)


def blurred(image, sigma):
    return image.filter(ImageFilter.GaussianBlur(sigma))


def moved(image, length):
    """Motion along a row."""
    values = array(image)
    return picture(sum(numpy.roll(values, shift - length // 2, axis=1) for shift in range(length)) / length)


def faint(image, amount):
    return picture((array(image) - 127) * amount + 127)


def noisy(image, sigma, seed=1):
    return picture(array(image) + numpy.random.default_rng(seed).normal(0, sigma, (image.height, image.width)))


def slanted(image, amount):
    """The upper edge shorter than the lower one by twice the share `amount`."""
    width, height = image.size
    inset = amount * width
    there = [(inset, 0), (width - inset, 0), (width, height), (0, height)]
    here = [(0, 0), (width, 0), (width, height), (0, height)]
    rows, right = [], []
    for (x, y), (u, v) in zip(there, here):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    factors = numpy.linalg.solve(numpy.array(rows), numpy.array(right))
    return image.transform(image.size, Image.Transform.PERSPECTIVE, tuple(factors), Image.Resampling.BICUBIC, fillcolor=255)


def scaled(image, factor):
    size = (max(1, round(image.width * factor)), max(1, round(image.height * factor)))
    return image.resize(size, Image.Resampling.LANCZOS if factor < 1 else Image.Resampling.BICUBIC)


def compressed(image, quality):
    data = io.BytesIO()
    image.save(data, "JPEG", quality=quality)
    return Image.open(io.BytesIO(data.getvalue())).convert("L")


def shaded(image, strength):
    """A shadow that grows from left to right."""
    return picture(array(image) * (1 - strength * numpy.linspace(0, 1, image.width))[None, :])


def lit(image, strength):
    """A lamp's reflection, up and left of the middle."""
    y, x = numpy.mgrid[0:image.height, 0:image.width]
    distance = (x - image.width * 0.35) ** 2 + (y - image.height * 0.4) ** 2
    return picture(array(image) + 255 * strength * numpy.exp(-distance / (2 * (image.width * 0.12) ** 2)))


def inverted(image):
    return picture(255 - array(image))


def covered(image, share, place=(0.6, 0.6)):
    """A grey patch over a share of the area."""
    values = array(image)
    side = round(share ** 0.5 * image.width)
    left, top = round(place[0] * image.width - side / 2), round(place[1] * image.height - side / 2)
    values[top:top + side, left:left + side] = 128
    return picture(values)


def speckled(image, share):
    chance = numpy.random.default_rng(3).random((image.height, image.width))
    values = array(image)
    values[chance < share / 2] = 0
    values[chance > 1 - share / 2] = 255
    return picture(values)


def framed(image, width, height):
    """On a table: a larger picture of uneven grey."""
    y, x = numpy.mgrid[0:height, 0:width]
    values = 120 + 40 * numpy.sin(x / width * 5) * numpy.cos(y / height * 4)
    left, top = (width - image.width) // 2, (height - image.height) // 2
    values[top:top + image.height, left:left + image.width] = array(image)
    return picture(values)


def photo(image, slant=0.1, angle=10, sigma=1.0, noise=8, shade=0.3, quality=70):
    image = rotated(slanted(image, slant), angle)
    image = framed(image, image.width + 300, image.height + 200)
    return compressed(noisy(shaded(blurred(image, sigma), shade), noise), quality)


def large(image, factor, sigma, noise, angle=5):
    """A frame of 12 megapixels."""
    image = framed(rotated(scaled(image, factor), angle), 4000, 3000)
    return noisy(blurred(image, sigma), noise)


def ways(code):
    modules = lambda pixels: scaled(code, pixels / 6)
    for degrees in (5, 15, 30, 45, 60, 90, 133, 180):
        yield f"rotated-{degrees}", rotated(code, degrees)
    for sigma in (1, 1.5, 2, 2.5, 3):
        yield f"blurred-{sigma}", blurred(code, sigma)
    for length in (3, 5, 9):
        yield f"moved-{length}", moved(code, length)
    for amount in (0.3, 0.15, 0.08, 0.04):
        yield f"faint-{amount}", faint(code, amount)
    for sigma in (10, 25, 40, 60):
        yield f"noisy-{sigma}", noisy(code, sigma)
    for amount in (0.05, 0.1, 0.15, 0.2):
        yield f"slanted-{amount}", slanted(code, amount)
    for pixels in (1.5, 2, 2.5, 3):
        yield f"modules-{pixels}", modules(pixels)
    for quality in (30, 10, 4):
        yield f"jpeg-{quality}", compressed(code, quality)
    yield "shaded-0.5", shaded(code, 0.5)
    yield "shaded-0.9", shaded(code, 0.9)
    yield "lit-0.6", lit(code, 0.6)
    yield "inverted", inverted(code)
    yield "inverted-faint", faint(inverted(code), 0.12)
    yield "covered-0.02", covered(code, 0.02)
    yield "covered-0.05", covered(code, 0.05)
    yield "covered-0.09", covered(code, 0.09, (0.5, 0.5))
    yield "speckled-0.02", speckled(code, 0.02)
    yield "speckled-0.1", speckled(code, 0.1)
    yield "photo-plain", photo(code)
    yield "photo-slanted", photo(code, slant=0.13, angle=20)
    yield "photo-steep", photo(code, slant=0.17, angle=-35)
    yield "photo-blurred", photo(code, sigma=2)
    yield "photo-noisy", photo(code, noise=25)
    yield "photo-dark", faint(photo(code, shade=0.7), 0.4)
    yield "photo-inverted", photo(inverted(code))
    yield "photo-small", photo(modules(3), sigma=0.7, noise=5)
    yield "large-plain", large(code, 1, 1, 5)
    yield "large-near", large(code, 4, 3, 10)
    yield "large-blurred", large(code, 2, 4, 8)
    yield "large-noisy", large(code, 1.5, 1.5, 30)


def main(code, folder):
    image = Image.open(code).convert("L")
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, result in ways(image):
        # PNG keeps every pixel, so that all decoders see the same.
        result.save(folder / (name + ".png"))
        names.append(name)
    print("%d pictures" % len(set(names)))


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
