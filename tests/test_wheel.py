"""The wheel: what is in it, and that its commands work where nothing else of the project is."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from installer import assemble
from tests.support.testdb import TestDb

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing is written into the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps")
    done = subprocess.run(
        [*command, "--no-build-isolation", "--wheel-dir", folder, ROOT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh environment: the wheel, and its dependencies from here."""
    home = tmp_path_factory.mktemp("fresh") / "venv"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    pip = (home / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index")
    subprocess.run([*pip, wheel], check=True, capture_output=True)
    (packages,) = home.glob("lib/python3*/site-packages")
    # A line of a .pth adds that one folder: the editable install in it is not followed.
    (packages / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


def run(program: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "PYTHON"))}
    return subprocess.run(
        [program, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_holds_the_packages_and_the_sql(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"installer", "board_live"}
    for name in (
        "installer/_sql/load_order.txt",
        "installer/_sql/functions/tasks/claim.sql",
        "installer/demo/worker.py",
        "board_live/page/index.html",
    ):
        assert name in names


def test_its_commands_work_anywhere(installed: Path, tmp_path: Path) -> None:
    where = run(
        installed / "python", "-c", "import installer; print(installer.__file__)", cwd=tmp_path
    )
    assert where.stdout.startswith(str(installed.parent)), where
    told = run(installed / "board-installer", "--version", cwd=tmp_path)
    assert told.stdout == f"board {assemble.version()}\n"
    told = run(installed / "board-installer", "script", "--no-transaction", cwd=tmp_path)
    assert told.stdout.endswith(assemble.script()), told.stderr
    told = run(installed / "board-live", "--help", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "usage: board-live" in told.stdout


def test_its_demo_works_on_what_it_carries_and_on_no_other_folder(
    installed: Path, tmp_path: Path, board_db: TestDb
) -> None:
    (tmp_path / "private.txt").write_text("nobody has asked for this")
    told = run(installed / "board-installer", "demo", "--dsn", board_db.dsn, cwd=tmp_path)
    assert told.returncode == 0, told.stdout + told.stderr
    paths = [row[0] for row in board_db.rows("SELECT t.payload ->> 'path' FROM board.tasks AS t")]
    assert any(path.endswith("_sql/functions/tasks/claim.sql") for path in paths)
    assert not any("private" in path for path in paths)


def test_it_has_no_tests_and_says_so(installed: Path, tmp_path: Path) -> None:
    """Whatever tests lie in the folder where it is started are another project's."""
    (tmp_path / "conftest.py").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_other.py").write_text("def test_other(): assert False")
    told = run(installed / "board-installer", "test", cwd=tmp_path)
    assert told.returncode == 2, told.stdout + told.stderr
    assert "the wheel carries no tests" in told.stderr
    assert "make test" in told.stderr
    assert "test_other" not in told.stdout


def test_the_live_board_says_what_it_needs(installed: Path, tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['uvicorn'] = None; import board_live.__main__ as m;"
    told = run(installed / "python", "-c", f"{hidden} sys.exit(m.main())", cwd=tmp_path)
    assert told.returncode == 2, told.stderr
    assert "pip install 'board-postgres[live]'" in told.stderr
    assert "Traceback" not in told.stderr
