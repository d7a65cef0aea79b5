"""A record as ReqIF: clauses, cases and results as specification objects, links as relations between them."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from reqif.models.reqif_core_content import ReqIFCoreContent
from reqif.models.reqif_data_type import ReqIFDataTypeDefinitionString
from reqif.models.reqif_namespace_info import ReqIFNamespaceInfo
from reqif.models.reqif_req_if_content import ReqIFReqIFContent
from reqif.models.reqif_reqif_header import ReqIFReqIFHeader
from reqif.models.reqif_spec_hierarchy import ReqIFSpecHierarchy
from reqif.models.reqif_spec_object import ReqIFSpecObject, SpecObjectAttribute
from reqif.models.reqif_spec_object_type import ReqIFSpecObjectType, SpecAttributeDefinition
from reqif.models.reqif_spec_relation import ReqIFSpecRelation
from reqif.models.reqif_spec_relation_type import ReqIFSpecRelationType
from reqif.models.reqif_specification import ReqIFSpecification
from reqif.models.reqif_specification_type import ReqIFSpecificationType
from reqif.models.reqif_types import SpecObjectAttributeType
from reqif.object_lookup import ReqIFObjectLookup
from reqif.reqif_bundle import ReqIFBundle
from reqif.unparser import ReqIFUnparser

from plumbline.reports.requirements import LINKS, Item, items
from plumbline.trial.recording import Record

KINDS = ("clause", "case", "result")
FIELDS = ("title", "content", "status", "source", "edition", "address", "known")
"""Attributes of every object; empty where an item has none."""

STRING = SpecObjectAttributeType.STRING


def reqif_text(record: Record) -> str:
    """The file."""
    when = record.header.started
    found = list(items(record))
    types = [ReqIFSpecObjectType(f"TYPE_{kind}", last_change=when, long_name=kind, attribute_definitions=[
        SpecAttributeDefinition(STRING, f"{kind}_{name}", "STRING", last_change=when, long_name=name)
        for name in FIELDS]) for kind in KINDS]
    relations = [ReqIFSpecRelationType(f"LINK_{name}", last_change=when, long_name=name) for name in LINKS]
    whole = ReqIFSpecificationType("TYPE_record", last_change=when, long_name="record")
    content = ReqIFReqIFContent(
        data_types=[ReqIFDataTypeDefinitionString("STRING", last_change=when, long_name="text", max_length="100000")],
        spec_types=[*types, *relations, whole], spec_objects=[_object(item, when) for item in found],
        spec_relations=list(_relations(found, when)),
        specifications=[ReqIFSpecification(
            "RECORD", last_change=when, long_name=escape(record.who), specification_type="TYPE_record",
            children=[ReqIFSpecHierarchy(identifier=f"PLACE_{item.id}", spec_object=item.id, last_change=when, level=1)
                      for item in found])])
    header = ReqIFReqIFHeader("HEADER", creation_time=when, req_if_tool_id="plumbline", req_if_version="1.0",
                              source_tool_id="plumbline", title=escape(f"Conformance of {record.who}"))
    namespace = ReqIFNamespaceInfo.empty(namespace="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd",
                                         configuration=None)
    return str(ReqIFUnparser.unparse(ReqIFBundle(namespace, header, ReqIFCoreContent(content), False,
                                                 ReqIFObjectLookup.empty(), [])))


def _object(item: Item, when: str) -> ReqIFSpecObject:
    values = {"title": item.title, "content": item.content, "status": item.status, **item.fields}
    return ReqIFSpecObject(item.id, [
        SpecObjectAttribute(STRING, f"{item.kind}_{name}", values[name]) for name in FIELDS if values.get(name)],
        f"TYPE_{item.kind}", last_change=when)


def _relations(found: list[Item], when: str) -> Iterator[ReqIFSpecRelation]:
    for item in found:
        for name, targets in item.links.items():
            for number, target in enumerate(targets):
                yield ReqIFSpecRelation(f"{name}_{number}_{item.id}", f"LINK_{name}", item.id, target, last_change=when)
