"""Compares the package with lxml and w3lib, on what their tests are about: peers.tsv.

A row has a function of theirs, a document, its URL, the encoding that it was decoded from,
what they find, what absolink finds where that is something else, and then why.
"""

import csv
import os
import unittest

import absolink

HERE = os.path.dirname(os.path.abspath(__file__))


def links(document, url, charset):
    """Returns the URLs of all places."""
    return sorted(place.url or place.ref for place in absolink.places(document, url, charset=charset))


def base(document, url, charset):
    """Returns the base URL: what an empty reference leads to."""
    found = [place.url for place in absolink.places(document + "<a href='' id=last>", url, charset=charset) if place.element == "a"]
    return found[-1:] or [absolink.resolve("", url)]  # the last is in a comment


def refresh(document, url, charset):
    """Returns where the first meta refresh leads."""
    return [place.url for place in absolink.places(document, url, charset=charset) if place.element == "meta" and place.syntax == "refresh"][:1]


def lxml_links(document, url, charset):
    import lxml.html

    try:
        tree = lxml.html.document_fromstring(document)
        tree.make_links_absolute(url)
    except ValueError:
        return ["ValueError"]
    except lxml.etree.ParserError:
        return ["ParserError"]
    return sorted(link for _, _, link, _ in tree.iterlinks())


def w3lib_base(document, url, charset):
    import w3lib.html

    return [w3lib.html.get_base_url(document, url, charset or "utf-8")]


def w3lib_refresh(document, url, charset):
    import w3lib.html

    _, found = w3lib.html.get_meta_refresh(document, url, charset or "utf-8")
    return [found] if found else []


FUNCTIONS = {
    "lxml make_links_absolute": (lxml_links, links),
    "w3lib get_base_url": (w3lib_base, base),
    "w3lib get_meta_refresh": (w3lib_refresh, refresh),
}


def rows():
    with open(os.path.join(HERE, "peers.tsv"), encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            row["document"] = row["document"].replace("\\n", "\n").replace("\\t", "\t")
            yield row


class Peers(unittest.TestCase):
    def compare(self, which, column):
        for row in rows():
            function = FUNCTIONS[row["function"]][which]
            want = row["theirs"] if which == 0 or not row["why"] else row["absolink"]
            with self.subTest(row["function"], document=row["document"]):
                got = function(row["document"], row["url"], row["charset"] or None)
                self.assertEqual(" ".join(got), want)

    def test_absolink(self):
        self.compare(1, "absolink")

    def test_peers(self):
        try:
            import lxml.html  # noqa: F401
            import w3lib.html  # noqa: F401
        except ImportError:
            self.skipTest("lxml or w3lib is not installed")
        self.compare(0, "theirs")

    def test_table(self):
        """A row has another result of absolink with a reason, or neither."""
        all = list(rows())
        self.assertGreater(len(all), 50)
        for row in all:
            self.assertEqual(row["absolink"] != "" or row["theirs"] != "" and row["why"] != "", row["why"] != "", row)
            self.assertNotEqual(row["absolink"], row["theirs"] or None, row)


if __name__ == "__main__":
    unittest.main()
