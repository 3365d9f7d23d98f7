"""Tests absolink_job.py with the command, and with a stand-in that keeps the contract
of cc-pyspark: fetch_file opens an archive, process_files calls process_file for each.

    ABSOLINK=/path/of/absolink python3 -m unittest test_absolink_job.py
"""

import collections
import gzip
import importlib
import logging
import os
import subprocess
import sys
import tempfile
import types
import unittest


class Accumulator:
    def __init__(self, value):
        self.value = value

    def add(self, n):
        self.value += n


class Rows(list):
    """An RDD or a DataFrame, all of it in memory."""

    def mapPartitionsWithIndex(self, f):
        return Rows(f(0, iter(self)))

    def map(self, f):
        return Rows(map(f, self))

    def countByValue(self):
        return collections.Counter(self)


class Session:
    def __init__(self):
        self.sparkContext = self
        self.table = None
        self.called = []

    def accumulator(self, value):
        return Accumulator(value)

    def textFile(self, name, minPartitions):
        with open(name) as lines:
            return Rows(line.rstrip("\n") for line in lines)

    def createDataFrame(self, rows, schema):
        self.table = [dict(zip((f.name for f in schema.fields), row)) for row in rows]
        assert all(len(row) == len(schema.fields) for row in rows)
        return self

    def __getattr__(self, name):
        if name == "write":
            return self
        if name in ("coalesce", "repartition", "format", "option", "options", "saveAsTable"):
            return lambda *_, **__: self.called.append(name) or self
        raise AttributeError(name)


class CCFileProcessorSparkJob:
    """The contract of sparkcc.CCFileProcessorSparkJob that a job relies on."""

    args = None
    fetches = 0

    @staticmethod
    def late(uri):
        return None

    def add_arguments(self, parser):
        pass

    def validate_arguments(self, args):
        return True

    def init_accumulators(self, session):
        self.warc_input_processed = session.sparkContext.accumulator(0)
        self.warc_input_failed = session.sparkContext.accumulator(0)

    def log_accumulators(self, session):
        pass

    def log_accumulator(self, session, accumulator, text):
        self.get_logger().info(text.format(accumulator.value))

    def get_logger(self, session=None):
        return logging.getLogger("test")

    def get_output_options(self):
        return {}

    def fetch_file(self, uri, base_uri=None):
        if uri.startswith("http://"):
            self.fetches += 1
            raise ConnectionError("connection refused")
        if uri.startswith("s3://"):  # an error of S3 is logged, and None is returned
            self.fetches += 1
            return self.late(uri)
        try:
            return open(uri, "rb")
        except OSError:
            return None

    def process_files(self, _id, iterator):
        for uri in iterator:
            tempfd = self.fetch_file(uri, self.args.input_base_url)
            if not tempfd:
                self.warc_input_failed.add(1)
                continue
            yield from self.process_file(uri, tempfd)
            tempfd.close()
            self.warc_input_processed.add(1)


def stand_in(module):
    """Puts a stand-in for Spark and for cc-pyspark into the modules. module is where
    cc-pyspark has its class: in the file sparkcc.py, or in the package cc_pyspark."""
    for name in ("sparkcc", "cc_pyspark", "cc_pyspark.sparkcc"):
        sys.modules[name] = None  # cannot be imported
    kinds = types.ModuleType("pyspark.sql.types")
    kinds.LongType = kinds.StringType = type("Kind", (), {})
    kinds.StructField = lambda name, kind, null: types.SimpleNamespace(name=name)
    kinds.StructType = lambda fields: types.SimpleNamespace(fields=fields)
    job = types.ModuleType(module)
    job.CCFileProcessorSparkJob = CCFileProcessorSparkJob
    for name in ("pyspark", "pyspark.sql", module.split(".")[0]):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["pyspark.sql.types"] = kinds
    sys.modules[module] = job


stand_in("sparkcc")
import absolink_job  # noqa: E402

absolink_job.time.sleep = lambda _: None


def record(url, body):
    body = body.encode()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
            "WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http\r\n"
            "Content-Length: %d\r\n\r\n" % (url, len(http)))
    return gzip.compress(head.encode() + http + b"\r\n\r\n")


class Test(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dir = temporary.name
        page = record("http://a.example/x/y", '<a href="z">1</a><a href="//B.example/?q">2</a>')
        other = record("http://b.example/", '<a href="http://a.example">3</a><a href="mailto:a@b">4</a>')
        self.write("good.warc.gz", page + page + other)
        self.write("cut.warc.gz", page + other[:-30])
        self.write("text.warc.gz", b"not an archive")
        self.job = absolink_job.AbsolinkJob()
        self.session = Session()
        logging.disable(logging.CRITICAL)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content)

    def run_job(self, result, *names, absolink=os.environ.get("ABSOLINK", "absolink")):
        names = [name if ":" in name else self.path(name) for name in names]
        self.write("paths", "\n".join(names).encode())
        self.job.args = types.SimpleNamespace(
            input=self.path("paths"), output="t", num_input_partitions=1,
            num_output_partitions=1, output_format="parquet", output_compression="gzip",
            local_temp_dir=None, input_base_url=None, absolink=absolink, profile="rfc1808",
            result=result, warc_output=self.path("out"))
        self.assertTrue(self.job.validate_arguments(self.job.args))
        self.job.init_accumulators(self.session)
        self.job.run_job(self.session)
        return self.session.table

    def test_links(self):
        rows = self.run_job("links", "good.warc.gz")
        self.assertEqual(len(rows), 6)
        self.assertEqual(rows[0]["file"], self.path("good.warc.gz"))
        self.assertEqual(rows[0]["url"], "http://a.example/x/z")
        self.assertEqual(rows[1]["url"], "http://B.example/?q")
        self.assertEqual((rows[0]["fetch_status"], rows[0]["text"], rows[1]["warc_record_offset"]), (200, "1", 0))
        self.assertGreater(rows[0]["warc_record_length"], 100)
        self.assertEqual(self.job.warc_input_failed.value, 0)
        self.assertIn("repartition", self.session.called)
        self.assertNotIn("coalesce", self.session.called)

    def test_columns(self):
        absolink = os.environ.get("ABSOLINK", "absolink")
        header = subprocess.run([absolink, "list", "--hosts", "--format", "csv", os.devnull],
                                stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertEqual(header.strip().split(","), [f.name for f in absolink_job.LINKS.fields])

    def test_no_fetch(self):
        rows = self.run_job("links", "http://a.example/x.warc.gz", "none.warc.gz", "good.warc.gz")
        self.assertEqual(len(rows), 6)
        self.assertEqual(self.job.fetches, absolink_job.ATTEMPTS)
        self.assertEqual(self.job.warc_input_failed.value, 2)

    def test_odd_names(self):
        with open(self.path("good.warc.gz"), "rb") as f:
            good = f.read()
        for name in ("lines", "a b%20c.warc.gz", "-o", "x.warc.gz.jsonl"):
            self.write(name, good)
            self.assertEqual(len(self.run_job("links", name)), 6, name)

    def test_s3(self):
        rows = self.run_job("links", "s3://bucket/x.warc.gz", "good.warc.gz")
        self.assertEqual((len(rows), self.job.fetches), (6, absolink_job.ATTEMPTS))
        self.assertEqual(self.job.warc_input_failed.value, 1)
        self.job.fetches = 0
        self.job.late = lambda uri: open(self.path("good.warc.gz"), "rb") if self.job.fetches == 2 else None
        self.assertEqual(len(self.run_job("links", "s3://bucket/x.warc.gz")), 6)
        self.assertEqual(self.job.warc_input_failed.value, 0)

    def test_layouts(self):
        for module in ("sparkcc", "cc_pyspark.sparkcc"):
            stand_in(module)
            job = importlib.reload(absolink_job)
            self.assertTrue(issubclass(job.AbsolinkJob, CCFileProcessorSparkJob), module)

    def test_registered_domains(self):
        row = self.run_job("links", "good.warc.gz")[1]
        self.assertEqual((row["page_host_name_reversed"], row["url_host_name_reversed"]), ("example.a", "example.b"))

    def test_bad_archives(self):
        rows = self.run_job("links", "text.warc.gz", "cut.warc.gz", "good.warc.gz")
        self.assertGreaterEqual(len(rows), 8)
        self.assertEqual(self.job.warc_input_failed.value, 0)
        self.assertEqual(self.job.damaged_inputs.value, 2)
        self.assertEqual(self.job.warc_input_processed.value, 3)

    def test_failing_command(self):
        self.assertEqual(self.run_job("links", "good.warc.gz", absolink="false"), [])
        self.assertEqual(self.job.warc_input_failed.value, 1)

    def test_converted(self):
        os.mkdir(self.path("out"))
        rows = self.run_job("converted", "good.warc.gz")
        written = self.path("out/good.warc.gz")
        self.assertEqual(rows[0]["file"], written)
        before = os.stat(written).st_mtime_ns
        self.assertEqual(self.run_job("converted", "good.warc.gz"), rows)
        self.assertEqual(os.stat(written).st_mtime_ns, before)

    def test_converted_twice(self):
        os.mkdir(self.path("out"))
        with self.assertRaisesRegex(ValueError, "written as good.warc.gz"):
            self.run_job("converted", "good.warc.gz", "http://a.example/x/good.warc.gz?y")
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_arguments(self):
        args = types.SimpleNamespace(result="converted", warc_output=None)
        self.assertFalse(self.job.validate_arguments(args))


if __name__ == "__main__":
    unittest.main()
