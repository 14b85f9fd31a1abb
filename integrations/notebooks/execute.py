"""Execute a notebook in an empty folder, and check its plots.

    python execute.py robots.ipynb folder [--sdist protego-0.7.0.tar.gz]

The sample, the executed notebook and its plots as PNG stay in the folder.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat

# A plot of a blank figure is smaller.
LEAST_BYTES = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sdist", type=Path)
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    sample = [sys.executable, str(arguments.notebook.parent / "sample.py"), str(folder / "robots.parquet")]
    subprocess.run(sample + (["--sdist", str(arguments.sdist)] if arguments.sdist else []), check=True)
    notebook = nbformat.read(arguments.notebook, as_version=4)
    committed = [cell for cell in notebook.cells if cell.get("outputs")]
    if committed:
        sys.exit(f"error: expected a notebook without outputs, but found {len(committed)} cells with some")
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, timeout=600)
    client.execute()
    nbformat.write(notebook, folder / arguments.notebook.name)

    plots = [
        base64.b64decode(output.data["image/png"])
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    # Every cell with code makes one, except the first.
    wanted = sum(cell.cell_type == "code" for cell in notebook.cells) - 1
    if len(plots) != wanted or any(len(plot) < LEAST_BYTES for plot in plots):
        sizes = [len(plot) for plot in plots]
        sys.exit(f"error: expected {wanted} plots, but found plots of these sizes: {sizes}")
    for number, plot in enumerate(plots, 1):
        (folder / f"plot-{number}.png").write_bytes(plot)
    print(f"{folder}: {len(plots)} plots")


if __name__ == "__main__":
    main()
