import { Effect, type Schema } from "effect"
import type { OperationName } from "../../../../../Api.ts"
import type { HostLetting } from "../../../../../resources/availability/HostLetting.ts"
import { idOf } from "../../id.ts"
import type { Form } from "../../visit.ts"
import { PROPERTIES_PATH } from "../addresses.ts"
import { type doing, refusedAs } from "../asking.ts"
import { asText, givenIn, idsIn, touchedIdsIn, touchedIn } from "../fields.ts"
import { type GoOn, type HostAct, refusal } from "../page.ts"

// What the page's forms do.

type Acts = Readonly<Record<string, HostAct>>
type Act = ReturnType<typeof doing>

const BACK: GoOn = { _tag: "GoOn", to: PROPERTIES_PATH }

const textIn = (form: Form, name: string): string => (form.get(name) ?? "").trim()

const idIn = (form: Form): number | undefined => idOf(form.get("id"))

/** What is no id goes on as it is: the operation says so. */
const whichOf = (form: Form) => ({ id: idIn(form) ?? form.get("id") ?? "" })

/** The lists that were touched; what is not sent stays. */
const touchedLists = (form: Form, ...names: ReadonlyArray<string>): Schema.JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const ids = touchedIdsIn(form, name)
      return ids === undefined ? [] : [[name, ids]]
    })
  )

/** Forms of a page of their own, which lead back to the lists. */
const sorting =
  (act: Act) =>
  (done: string, operation: OperationName, fields: (form: Form) => Schema.JsonObject): HostAct => ({
    done,
    run: (visit, form) => Effect.as(act(visit, form, operation, fields(form)), BACK)
  })

export const groupActs = (act: Act): Acts => {
  const sorted = sorting(act)
  return {
    make_group: sorted("The group is made.", "create_property_group", (form) => ({
      name: textIn(form, "name"),
      property_ids: idsIn(form, "property_ids")
    })),
    change_group: sorted("The group is changed.", "update_property_group", (form) => ({
      ...whichOf(form),
      ...touchedIn(form, { name: asText }),
      ...touchedLists(form, "property_ids")
    })),
    delete_group: sorted("The group is deleted; its properties stay as they are.", "delete_property_group", whichOf)
  }
}

export const tagActs = (act: Act): Acts => {
  const sorted = sorting(act)
  return {
    make_tag: sorted("The tag is made.", "create_property_tag", (form) => ({
      name: textIn(form, "name"),
      ...givenIn(form, { color: asText }),
      property_ids: idsIn(form, "property_ids"),
      room_type_ids: idsIn(form, "room_type_ids")
    })),
    change_tag: sorted("The tag is changed.", "update_property_tag", (form) => ({
      ...whichOf(form),
      ...touchedIn(form, { name: asText, color: asText }),
      ...touchedLists(form, "property_ids", "room_type_ids")
    })),
    delete_tag: sorted("The tag is deleted and taken off everything.", "delete_property_tag", whichOf)
  }
}

export const roomTypeActs = (act: Act): Acts => ({
  make_room_type: sorting(act)("The room type is made.", "create_room_type", (form) => ({
    title: textIn(form, "title"),
    property_ids: idsIn(form, "property_ids")
  }))
})

export const propertyActs = (act: Act, letting: HostLetting["Service"]): Acts => ({
  add_property: {
    done: "The property is added.",
    run: (visit, form) => act(visit, form, "create_property", { title: textIn(form, "title") })
  },
  stop_letting: turning(
    "The property is not let any more: its stays stay, every other night is closed.",
    letting.deactivate
  ),
  let_again: turning("The property is let again.", letting.activate)
})

const turning = (done: string, turn: HostLetting["Service"]["activate"]): HostAct => ({
  done,
  run: (visit, form) => {
    const id = idIn(form)
    return id === undefined
      ? Effect.fail(refusal(404, "There is no such property."))
      : Effect.as(Effect.mapError(turn(visit.session.person.caller.operatorId, id), refusedAs), undefined)
  }
})
