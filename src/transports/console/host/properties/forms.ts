import { GROUP_NAME, PROPERTY_TITLE, TAG_NAME } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { GroupForm, RoomTypeForm, TagForm } from "../../queries/Sorting.ts"
import type { SignedInVisit } from "../../visit.ts"
import { PROPERTIES_PATH } from "../addresses.ts"
import { narrowing, propertyChoices } from "../choosing.ts"
import { behind, choices, filling, fillingAll, formOf, hadAt, input, select } from "../fields.ts"
import type { HostView, NotTaken } from "../page.ts"
import { historyLink, link, section } from "../parts.ts"
import { COLOURS } from "./colours.ts"

// The forms of a group, a tag and a room type, each with the list of all properties.

const NO_PROPERTY = "There is no property yet."

const asText = (ids: ReadonlyArray<number>): ReadonlyArray<string> => ids.map(String)

const backLink: Html = html`<p>${link(PROPERTIES_PATH, "Back to the properties")}</p>
`

export const groupFormOf = (visit: SignedInVisit, { it, properties }: GroupForm, notTaken?: NotTaken): HostView => {
  const [act, button] = it === null ? ["make_group", "Make the group"] : ["change_group", "Change the group"]
  const fill = filling(notTaken, act, it?.id)
  const fields = html`${input(fill, { name: "name", label: "Name", value: it?.name ?? "", required: true, maxlength: GROUP_NAME, edited: it !== null })}${propertyChoices(
    {
      legend: "Properties in it",
      properties,
      chosen: fillingAll(notTaken, act, it?.id)("property_ids", asText(it?.property_ids ?? [])),
      none: NO_PROPERTY,
      ...(it === null ? {} : { had: hadAt(fill, "property_ids", it.property_ids) })
    }
  )}`
  const deleting =
    it === null
      ? nothing
      : behind(
          "Delete the group…",
          html`<p>It is gone for good; its properties stay as they are.</p>
${formOf(visit, { act: "delete_group", button: "Delete the group", of: it.name, id: it.id, kind: "danger" })}`
        )
  return {
    title: it === null ? "A new group" : `Group ${it.name}`,
    body: html`${backLink}${section("What is in it", html`${narrowing(visit, properties)}${formOf(visit, { act, button, fields, ...(it === null ? {} : { id: it.id }) })}${deleting}`)}${it === null ? nothing : historyLink(`group:${it.id}`)}`
  }
}

export const tagFormOf = (visit: SignedInVisit, has: TagForm, notTaken?: NotTaken): HostView => {
  const { it, properties } = has
  const [act, button] = it === null ? ["make_tag", "Make the tag"] : ["change_tag", "Change the tag"]
  const deleting =
    it === null
      ? nothing
      : behind(
          "Delete the tag…",
          html`<p>It is taken off everything. A tag made later under its name is the same tag again, but on nothing.</p>
${formOf(visit, { act: "delete_tag", button: "Delete the tag", of: it.name, id: it.id, kind: "danger" })}`
        )
  return {
    title: it === null ? "A new tag" : `Tag ${it.name}`,
    body: html`${backLink}${section("What it is on", html`${narrowing(visit, properties)}${formOf(visit, { act, button, fields: tagFields(has, act, notTaken), ...(it === null ? {} : { id: it.id }) })}${deleting}`)}${it === null ? nothing : historyLink(`tag:${it.id}`)}`
  }
}

const tagFields = ({ it, properties, room_types }: TagForm, act: string, notTaken?: NotTaken): Html => {
  const fill = filling(notTaken, act, it?.id)
  const all = fillingAll(notTaken, act, it?.id)
  const edited = it !== null
  const roomTypes =
    room_types.length === 0
      ? nothing
      : choices({
          name: "room_type_ids",
          legend: "Room types",
          options: room_types.map(({ id, title }) => ({ value: id, words: title })),
          chosen: all("room_type_ids", asText(it?.room_type_ids ?? [])),
          ...(it === null ? {} : { had: hadAt(fill, "room_type_ids", it.room_type_ids) })
        })
  return html`${input(fill, { name: "name", label: "Name", value: it?.name ?? "", required: true, maxlength: TAG_NAME, edited })}${select(
    fill,
    {
      name: "color",
      label: "Colour",
      value: it?.color ?? "",
      options: COLOURS,
      edited,
      ...(it === null ? { none: "whichever" } : {})
    }
  )}${propertyChoices({
    legend: "Properties",
    properties,
    chosen: all("property_ids", asText(it?.property_ids ?? [])),
    none: NO_PROPERTY,
    ...(it === null ? {} : { had: hadAt(fill, "property_ids", it.property_ids) })
  })}${roomTypes}`
}

export const roomTypeFormOf = (
  visit: SignedInVisit,
  { properties, taken }: RoomTypeForm,
  notTaken?: NotTaken
): HostView => {
  const act = "make_room_type"
  const fields = html`${input(filling(notTaken, act), { name: "title", label: "Title", required: true, maxlength: PROPERTY_TITLE })}${propertyChoices(
    {
      legend: "Its rooms",
      properties,
      chosen: fillingAll(notTaken, act)("property_ids", []),
      none: taken === 0 ? NO_PROPERTY : "Every property is in a room type already."
    }
  )}`
  const others =
    taken === 0
      ? nothing
      : html`<p class="soft">A property is in one room type at most: ${taken} that are in one already are not shown.</p>
`
  return {
    title: "A new room type",
    body: html`${backLink}${section(
      "Its rooms",
      html`<p>It is not changed once it is made: neither its title nor its rooms.</p>
${others}${narrowing(visit, properties)}${formOf(visit, { act, button: "Make the room type", fields })}`
    )}`
  }
}
