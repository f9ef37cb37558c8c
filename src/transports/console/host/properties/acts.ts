import { Effect, type Schema } from "effect"
import type { HostLetting } from "../../../../domain/calendars/availability/HostLetting.ts"
import { search_property_groups } from "../../../../domain/properties/groups/contract.ts"
import { query_tags } from "../../../../domain/properties/tags/contract.ts"
import type { OperationName } from "../../../../service/Api.ts"
import type { Service } from "../../../../service/service.ts"
import { idOf } from "../../id.ts"
import type { Form } from "../../visit.ts"
import { PROPERTIES_PATH } from "../addresses.ts"
import { doing, reading, refusedAs } from "../asking.ts"
import { asText, givenIn, idsIn, tickedLists, touchedIn } from "../fields.ts"
import { type GoOn, type HostAct, refusal } from "../page.ts"

// What the page's forms do.

type Acts = Readonly<Record<string, HostAct>>
type Act = ReturnType<typeof doing>

const BACK: GoOn = { _tag: "GoOn", to: PROPERTIES_PATH }

const textIn = (form: Form, name: string): string => (form.get(name) ?? "").trim()

const idIn = (form: Form): number | undefined => idOf(form.get("id"))

/** What is no id goes on as it is: the operation says so. */
const whichOf = (form: Form) => ({ id: idIn(form) ?? form.get("id") ?? "" })

/** Forms of a page of their own, which lead back to the lists. */
const sorting =
  (act: Act) =>
  (done: string, operation: OperationName, fields: (form: Form) => Schema.JsonObject): HostAct => ({
    done,
    run: (visit, form) => Effect.as(act(visit, form, operation, fields(form)), BACK)
  })

export const groupActs = (service: Service["Service"]): Acts => {
  const [act, groups] = [doing(service), reading(service, search_property_groups)]
  const sorted = sorting(act)
  return {
    make_group: sorted("The group is made.", "create_property_group", (form) => ({
      name: textIn(form, "name"),
      property_ids: idsIn(form, "property_ids")
    })),
    change_group: {
      done: "The group is changed.",
      run: Effect.fnUntraced(function* (visit, form) {
        const lists = yield* tickedLists(
          form,
          ["property_ids"],
          Effect.map(groups(visit, whichOf(form)), ({ groups: [group] }) => ({
            property_ids: group?.property_ids ?? []
          }))
        )
        yield* act(visit, form, "update_property_group", {
          ...whichOf(form),
          ...touchedIn(form, { name: asText }),
          ...lists
        })
        return BACK
      })
    },
    delete_group: sorted("The group is deleted; its properties stay as they are.", "delete_property_group", whichOf)
  }
}

export const tagActs = (service: Service["Service"]): Acts => {
  const [act, tags] = [doing(service), reading(service, query_tags)]
  const sorted = sorting(act)
  return {
    make_tag: sorted("The tag is made.", "create_property_tag", (form) => ({
      name: textIn(form, "name"),
      ...givenIn(form, { color: asText }),
      property_ids: idsIn(form, "property_ids"),
      room_type_ids: idsIn(form, "room_type_ids")
    })),
    change_tag: {
      done: "The tag is changed.",
      run: Effect.fnUntraced(function* (visit, form) {
        const lists = yield* tickedLists(
          form,
          ["property_ids", "room_type_ids"],
          Effect.map(tags(visit, whichOf(form)), ({ tags: [tag] }) => ({
            property_ids: tag?.property_ids ?? [],
            room_type_ids: tag?.room_type_ids ?? []
          }))
        )
        yield* act(visit, form, "update_property_tag", {
          ...whichOf(form),
          ...touchedIn(form, { name: asText, color: asText }),
          ...lists
        })
        return BACK
      })
    },
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
