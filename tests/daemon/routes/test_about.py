"""What the daemon says about itself, and several workspaces in one daemon."""

from __future__ import annotations

from urllib.parse import quote

from reverie import __version__
from reverie.daemon.routes.page import page_paths


def test_health_says_only_that_it_lives(daemon):
    assert daemon.get("/health", token=None).json() == {"status": "ok"}


def test_capabilities_name_features_modes_limits_and_workspaces(daemon, project):
    said = daemon.get("/capabilities").json()
    assert said["v"] == 1
    assert said["protocolVersions"] == {"current": "v1", "supported": ["v1"]}
    assert {
        "workspace_memory",
        "workspace_memory_remember",
        "workspace_memory_forget",
        "workspace_memory_dream",
    } <= set(said["features"])
    assert said["modes"] == {"workspace_memory_remember": ["workspace", "clean"]}
    assert said["limits"]["maxPendingMemoryTasks"] == 16
    assert said["limits"]["maxMemoryTextBytes"] == 65_536
    assert said["reverieVersion"] == __version__
    assert said["workspaceCwd"] == str(project)
    assert said["workspaces"] == [
        {"id": daemon.host.primary.id, "cwd": str(project), "primary": True, "trusted": True}
    ]


def test_metrics_count_what_happened(daemon):
    daemon.remember("Counted in the metrics")
    daemon.get("/nothing")
    page = daemon.get("/metrics")
    assert page.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = page.text.splitlines()
    space = daemon.host.primary.id
    assert (
        f'reverie_tasks_finished_total{{workspace="{space}",kind="remember",status="completed"}} 1'
        in lines
    )
    assert f'reverie_tasks{{workspace="{space}",status="queued"}} 0' in lines
    path = "/workspace/memory/remember"
    assert f'reverie_http_requests_total{{method="POST",path="{path}",status="202"}} 1' in lines
    assert 'reverie_http_requests_total{method="GET",path="unmatched",status="404"} 1' in lines
    assert f'reverie_http_request_seconds_count{{path="{path}"}} 1' in lines
    assert f'reverie_http_request_seconds_bucket{{path="{path}",le="+Inf"}} 1' in lines
    (resident,) = (line for line in lines if line.startswith("reverie_resident_bytes"))
    assert float(resident.split()[1]) > 1e6


def test_methods_that_callers_make_up_are_counted_as_one(daemon):
    counted = daemon.host.metrics.requests
    for number in range(30):
        assert daemon.ask(f"MADEUP{number}", "/nothing", token=None).status_code >= 400
    assert {method for method, *_ in counted} == {"other"}

    def made_up() -> int:
        return sum(many for (method, *_), many in [*counted.items()] if method == "other")

    for _ in range(1_000):  # one is counted after it was answered
        if made_up() == 30:
            break
        daemon.get("/health")
    assert made_up() == 30


def test_several_workspaces_are_kept_apart_and_addressed_by_id_or_folder(start, project, tmp_path):
    other = tmp_path / "другой проект"
    (other / ".git").mkdir(parents=True)
    daemon = start(project, other)
    first, second = daemon.host.workspaces
    listed = daemon.get("/workspaces").json()["workspaces"]
    assert [(item["id"], item["primary"]) for item in listed] == [
        (first.id, True), (second.id, False),
    ]  # fmt: skip
    body = {"content": "The harbour has seven cranes", "scope": "project"}
    for selector in (quote(second.id, safe=""), quote(str(other), safe="")):
        accepted = daemon.post(f"/workspaces/{selector}/memory/remember", body)
        assert accepted.status_code == 202
        task = accepted.json()["taskId"]
        with daemon.client(workspace=str(other)) as client:
            assert client.wait(task).status == "completed"
    path = f"/workspaces/{quote(second.id)}/recall"
    assert daemon.post(path, {"query": "harbour cranes"}).json()["topics"]
    assert not daemon.post("/workspace/recall", {"query": "harbour cranes"}).json()["topics"]
    assert daemon.get("/workspace/memory/tasks").json()["total"] == 0
    assert daemon.code(daemon.get(f"/workspace/memory/remember/{task}")) == (
        404, "remember_task_not_found",
    )  # fmt: skip


def test_an_unknown_workspace_is_not_found(daemon):
    for selector in ("nobody", quote("/etc", safe=""), "%2F", "%2E%2E%2F", "%00"):
        for place in ("/memory", "/memory/tasks", "/events"):
            answer = daemon.get(f"/workspaces/{selector}{place}")
            assert answer.status_code == 404, selector
    assert daemon.code(daemon.get("/workspaces/nobody/memory")) == (404, "workspace_not_found")


def test_the_same_folder_named_twice_is_one_workspace(start, project):
    assert len(start(project, project).host.workspaces) == 1


def test_every_route_is_described_and_every_description_leads_to_a_route(daemon):
    described = daemon.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    names = [
        operation["operationId"]
        for methods in described["paths"].values()
        for operation in methods.values()
    ]
    assert len(names) == len(set(names)) > 40
    served = {
        (route.path, method)
        for route in daemon.server.config.app.app.routes
        if not route.path.endswith("/mcp") and route.path not in page_paths()
        for method in route.methods - {"HEAD"}
    }
    told = {
        (path, method.upper()) for path, methods in described["paths"].items() for method in methods
    }
    assert told == served
