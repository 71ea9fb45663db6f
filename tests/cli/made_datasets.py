"""Tiny datasets in their official layouts, for tests without the real datasets.

Each make_NAME(root) writes a folder of the dataset's name below root, where PROJNCE_DATA=root finds it, and
returns that folder. Classes differ in color and in the width and direction of stripes, or in pitch.
"""
import colorsys
import struct
import zlib

from support import write_wav

TRAIN, TEST = 64, 32  # images
FEW = 4  # number of classes if the layout does not fix it
WNIDS = ["n01443537", "n01629819", "n01641577", "n01644900"]
WORDS = ["goldfish, Carassius auratus", "European fire salamander", "bullfrog", "tailed frog"]
FOODS = ["apple_pie", "baklava", "donuts", "sushi"]
OBJECTS = ["001.ak47", "002.american-flag", "003.backpack", "004.baseball-bat"]
EMOTIONS = ["ANG", "DIS", "FEA", "HAP", "NEU", "SAD"]
SPOKEN = ["down", "no", "up", "yes"]


def stripe_colors(label, number, side):
    """Returns the colors across the stripes: hue and width depend on the label, phase and brightness on
    the number."""
    hue, width = 0.618 * label % 1, 2 + label // 2 % 5
    bright = [int(255 * c) for c in colorsys.hsv_to_rgb(hue, 0.8, 0.7 + 0.06 * (number % 5))]
    dark = [value // 3 for value in bright]
    return [dark if (x + number) // width % 2 else bright for x in range(side)]


def planes(label, number, side):
    """Returns an image as red, green and blue planes; stripes of odd labels are horizontal."""
    made = b""
    for line in zip(*stripe_colors(label, number, side)):
        made += b"".join(bytes([value]) * side for value in line) if label % 2 else bytes(line) * side
    return made


def png(label, number, side=32):
    """Returns the same image as a PNG file."""
    colors = [bytes(color) for color in stripe_colors(label, number, side)]
    rows = b"".join(b"\0" + color * side for color in colors) if label % 2 else \
        (b"\0" + b"".join(colors)) * side

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def write(path, content):
    """Writes bytes or lines of text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, bytes):
        content = "".join(f"{line}\n" for line in content).encode()
    path.write_bytes(content)


def parts(classes):
    """Returns (label, number) of each training and test sample; classes alternate."""
    samples = [(i % classes, i // classes) for i in range(TRAIN + TEST)]
    return samples[:TRAIN], samples[TRAIN:]


def make_cifar10(root):
    folder = root / "cifar10"
    train, test = parts(10)
    files = {f"data_batch_{k + 1}.bin": train[k::5] for k in range(5)} | {"test_batch.bin": test}
    for name, samples in files.items():
        write(folder / name, b"".join(bytes([label]) + planes(label, n, 32) for label, n in samples))
    write(folder / "batches.meta.txt", "airplane automobile bird cat deer dog frog horse ship truck".split())
    return folder


def make_cifar100(root):
    """All hundred classes, five per group, with two training images and one test image each."""
    folder = root / "cifar100"
    for name, numbers in (("train.bin", (0, 1)), ("test.bin", (2,))):
        write(folder / name, b"".join(bytes([label // 5, label]) + planes(label, n, 32)
                                      for label in range(100) for n in numbers))
    write(folder / "fine_label_names.txt", [f"fine_{label:02}" for label in range(100)])
    write(folder / "coarse_label_names.txt", [f"coarse_{label:02}" for label in range(20)])
    return folder


def make_stl10(root):
    folder = root / "stl10"
    for name, samples in zip(("train", "test"), parts(10)):
        write(folder / f"{name}_X.bin", b"".join(planes(label, n, 96) for label, n in samples))
        write(folder / f"{name}_y.bin", bytes(label + 1 for label, _ in samples))
    write(folder / "class_names.txt", "airplane bird car cat deer dog horse monkey ship truck".split())
    return folder


def make_fashion_mnist(root, name="fashion-mnist"):
    folder = root / name
    for part, samples in zip(("train", "t10k"), parts(10)):
        count = len(samples)
        images = b"".join(planes(label, n, 28)[:28 * 28] for label, n in samples)
        labels = bytes(label for label, _ in samples)
        write(folder / f"{part}-images-idx3-ubyte", struct.pack(">4I", 0x803, count, 28, 28) + images)
        write(folder / f"{part}-labels-idx1-ubyte", struct.pack(">2I", 0x801, count) + labels)
    return folder


def make_mnist(root):
    return make_fashion_mnist(root, "mnist")


# The readers detect the format by content: files named .jpg or .JPEG, as in the official sets, are PNG.

def make_tiny_imagenet(root):
    folder = root / "tiny-imagenet"
    train, test = parts(FEW)
    for label, n in train:
        write(folder / f"train/{WNIDS[label]}/images/{WNIDS[label]}_{n}.JPEG", png(label, n, 64))
    for i, (label, n) in enumerate(test):
        write(folder / f"val/images/val_{i}.JPEG", png(label, n, 64))
    write(folder / "val/val_annotations.txt",
          [f"val_{i}.JPEG\t{WNIDS[label]}\t0\t0\t63\t63" for i, (label, _) in enumerate(test)])
    write(folder / "wnids.txt", WNIDS)
    write(folder / "words.txt", map("\t".join, zip(WNIDS, WORDS)))
    return folder


def make_imagenet(root):
    folder = root / "imagenet"
    for part, samples in zip(("train", "val"), parts(FEW)):
        for label, n in samples:
            write(folder / f"{part}/{WNIDS[label]}/{WNIDS[label]}_{n}.JPEG", png(label, n))
    write(folder / "LOC_synset_mapping.txt", map(" ".join, zip(WNIDS, WORDS)))
    return folder


def make_caltech256(root):
    """No splits: the program holds out a fifth of each class, 5 of 24."""
    folder = root / "caltech256"
    for label, n in sum(parts(FEW), []):
        name = OBJECTS[label]
        write(folder / f"256_ObjectCategories/{name}/{name[:3]}_{n + 1:04}.jpg", png(label, n))
    return folder


def make_food101(root):
    folder = root / "food101"
    for part, samples in zip(("train", "test"), parts(FEW)):
        names = [f"{FOODS[label]}/{1000 + n}" for label, n in samples]
        for name, sample in zip(names, samples):
            write(folder / f"images/{name}.jpg", png(*sample))
        write(folder / f"meta/{part}.txt", names)
    write(folder / "meta/classes.txt", FOODS)
    return folder


def make_crema_d(root, speakers=12):
    """One clip per emotion and speaker; the program holds out a fifth of the speakers."""
    folder = root / "crema-d"
    for number in range(speakers):
        for label, emotion in enumerate(EMOTIONS):
            write_wav(folder / f"AudioWAV/{1001 + number}_DFA_{emotion}_XX.wav", 8000, 0.2,
                      250 * 1.6 ** label + 5 * number)
    return folder


def make_speech_commands(root):
    """28 clips per word: 16 train, 4 validation, 8 test; and a background hum."""
    folder = root / "speech-commands"
    names = {}
    for label, word in enumerate(SPOKEN):
        names[word] = [f"{word}/{number:08x}_nohash_0.wav" for number in range(28)]
        for number, name in enumerate(names[word]):
            write_wav(folder / name, 8000, 0.2, 300 * 2 ** label + 5 * number)
    write(folder / "validation_list.txt", [name for word in SPOKEN for name in names[word][16:20]])
    write(folder / "testing_list.txt", [name for word in SPOKEN for name in names[word][20:]])
    write_wav(folder / "_background_noise_/hum.wav", 8000, 1, 100)
    return folder


MAKERS = {
    "caltech256": make_caltech256,
    "cifar10": make_cifar10,
    "cifar100": make_cifar100,
    "crema-d": make_crema_d,
    "fashion-mnist": make_fashion_mnist,
    "food101": make_food101,
    "imagenet": make_imagenet,
    "mnist": make_mnist,
    "speech-commands": make_speech_commands,
    "stl10": make_stl10,
    "tiny-imagenet": make_tiny_imagenet,
}


def make_all(root):
    """Makes all datasets. Returns their folders by name."""
    return {name: make(root) for name, make in MAKERS.items()}
