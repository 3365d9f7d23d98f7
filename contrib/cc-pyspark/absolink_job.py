"""Runs absolink over the web archives of a crawl, on Spark, with cc-pyspark.

Put this file beside sparkcc.py (https://github.com/commoncrawl/cc-pyspark), or install the
package cc_pyspark. Put the command absolink where each worker finds it, then start the job
as any other:

    spark-submit --py-files sparkcc.py --files absolink absolink_job.py \
        --absolink ./absolink --result links warc.paths.txt links

warc.paths.txt names an archive on each line, as a path or a URL. The results go to
the table links of Spark SQL:

    --result links       a row for each link: the columns of "absolink list --hosts"
    --result converted   a row for each archive that "absolink warc" writes to the
                         directory --warc_output; an archive that is there is skipped

An archive that cannot be fetched, after three attempts, or read is logged and counted,
and the job goes on. A damaged archive is not a failure: what is whole in it counts.

This file was tested against a stand-in for cc-pyspark and Spark, with the command. It
has not run on a cluster.
"""

import json
import os
import subprocess
import tempfile
import time
from urllib.parse import urlsplit

from pyspark.sql.types import LongType, StringType, StructField, StructType

try:
    from cc_pyspark.sparkcc import CCFileProcessorSparkJob  # the package
except ImportError:
    from sparkcc import CCFileProcessorSparkJob  # the file sparkcc.py, before it was one

# The exit codes of absolink after which the output is there.
DONE, DAMAGED = 0, 4

ATTEMPTS = 3


def schema(**columns):
    return StructType([StructField(name, kind(), True) for name, kind in columns.items()])


LINKS = schema(
    file=StringType, page=StringType, page_host_name_reversed=StringType,
    page_host_registered_domain=StringType, fetch_time=StringType, record=StringType,
    warc_record_offset=LongType, warc_record_length=LongType, fetch_status=LongType, offset=LongType,
    element=StringType, attr=StringType, syntax=StringType, rel=StringType, text=StringType,
    raw=StringType, ref=StringType, url=StringType, url_host_name_reversed=StringType,
    url_host_registered_domain=StringType, error=StringType)
CONVERTED = schema(uri=StringType, file=StringType, size=LongType)


class AbsolinkJob(CCFileProcessorSparkJob):
    """Absolute links of web archives"""

    name = "Absolink"

    damaged_inputs = None

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("--absolink", default="absolink",
                            help="The command, as the workers find it")
        parser.add_argument("--result", default="links",
                            choices=["links", "converted"],
                            help="What to compute (default: links)")
        parser.add_argument("--profile", default="rfc1808",
                            choices=["rfc1808", "rfc3986", "whatwg"],
                            help="The standard to resolve by (default: rfc1808)")
        parser.add_argument("--warc_output",
                            help="Directory for --result converted, which all workers share")

    def validate_arguments(self, args):
        if args.result == "converted" and not args.warc_output:
            self.get_logger().error("--result converted needs --warc_output")
            return False
        return super().validate_arguments(args)

    def init_accumulators(self, session):
        super().init_accumulators(session)
        self.damaged_inputs = session.sparkContext.accumulator(0)

    def log_accumulators(self, session):
        super().log_accumulators(session)
        self.log_accumulator(session, self.damaged_inputs, "damaged input files = {}")

    def run_job(self, session):
        paths = session.sparkContext.textFile(
            self.args.input, minPartitions=self.args.num_input_partitions)
        if self.args.result == "converted":
            twice = [name for name, n in paths.map(archive_name).countByValue().items() if n > 1]
            if twice:
                raise ValueError("several archives would be written as " + ", ".join(sorted(twice)[:9]))
        rows = paths.mapPartitionsWithIndex(self.process_files)
        columns = {"links": LINKS, "converted": CONVERTED}[self.args.result]
        # coalesce would also join the tasks before it: without a shuffle between them, no
        # more archives than there are outputs would be read at a time.
        session.createDataFrame(rows, schema=columns) \
            .repartition(self.args.num_output_partitions).write \
            .format(self.args.output_format) \
            .option("compression", self.args.output_compression) \
            .options(**self.get_output_options()) \
            .saveAsTable(self.args.output)
        self.log_accumulators(session)

    def fetch_file(self, uri, base_uri=None):
        """The archive as a file; None if it cannot be fetched, which the caller counts.
        cc-pyspark returns None for an error of S3, and raises an error of HTTP, which would
        end the job. Both are tried again."""
        for attempt in range(1, ATTEMPTS + 1):
            error = "it cannot be fetched"
            try:
                file = super().fetch_file(uri, base_uri)
                if file is not None:
                    return file
            except Exception as raised:
                error = raised
            self.get_logger().error("{}: attempt {}: {}".format(uri, attempt, error))
            if attempt < ATTEMPTS:
                time.sleep(2 ** attempt)
        return None

    def process_file(self, uri, tempfd):
        """Yields the rows of one archive; none if the command fails."""
        with tempfile.TemporaryDirectory(dir=self.args.local_temp_dir) as directory:
            # The command names its output after its input.
            archive = os.path.join(directory, archive_name(uri))
            os.symlink(os.path.abspath(tempfd.name), archive)
            if self.args.result == "converted":
                yield from self.convert(uri, archive)
                return
            lines = archive + ".jsonl"
            if not self.command(uri, "list", "--quiet", "--hosts",
                                "--profile", self.args.profile, "-o", lines, archive):
                return
            with open(lines, encoding="utf-8") as places:
                yield from self.rows(uri, map(json.loads, places))

    def convert(self, uri, archive):
        directory = self.args.warc_output
        if self.command(uri, "warc", "--quiet", "--reproducible", "--skip-existing",
                        "--profile", self.args.profile, "-o", directory, archive):
            written = os.path.join(directory, os.path.basename(archive))
            yield uri, written, os.path.getsize(written)

    def command(self, uri, *arguments):
        """Runs the command, and reports whether its output is there."""
        run = subprocess.run([self.args.absolink, *arguments],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = run.stderr.decode("utf-8", "replace")[-2000:]
        if run.returncode == DAMAGED:
            self.damaged_inputs.add(1)
            self.get_logger().warning("{}: damaged: {}".format(uri, said))
        elif run.returncode != DONE:
            self.warc_input_failed.add(1)
            self.get_logger().error("{}: exit code {}: {}".format(uri, run.returncode, said))
        return run.returncode in (DONE, DAMAGED)

    @staticmethod
    def rows(uri, places):
        """The places as rows, with the URI for the file."""
        names = [field.name for field in LINKS.fields]
        for place in places:
            place["file"] = uri
            yield tuple(place.get(name) for name in names)


def archive_name(uri):
    """The name of an archive, without its directory and parameters."""
    return os.path.basename(urlsplit(uri).path)


if __name__ == "__main__":
    AbsolinkJob().run()
