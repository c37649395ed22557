"""Scripts without a face take no room on a page."""

from pages.components import unseen


def test_a_script_is_mounted_with_its_style_and_takes_no_room(tmp_path, monkeypatch):
    given = {}
    monkeypatch.setattr(unseen.st.components.v2, "component", lambda name, **rest: given.update(rest, name=name))
    (tmp_path / "quiet.js").write_text("export default () => {}")
    unseen.script(str(tmp_path / "quiet.py"))
    assert (given["name"], given["js"], given["isolate_styles"]) == ("quiet", "export default () => {}", False)
    assert "display: none" in given["css"]
    assert 'class="unseen"' in given["html"]
    (tmp_path / "quiet.css").write_text("body { color: red; }")
    (tmp_path / "first.js").write_text("const one = 1;\n")
    unseen.script(str(tmp_path / "quiet.py"), "first")
    assert given["js"] == "const one = 1;\nexport default () => {}"
    assert given["css"].endswith("body { color: red; }")
    assert "display: none" in given["css"]
