import { Effect, type Schema } from "effect"
import { search_property_groups } from "../../../../domain/properties/groups/contract.ts"
import { query_tags } from "../../../../domain/properties/tags/contract.ts"
import type { OperationName } from "../../../../service/Api.ts"
import type { Service } from "../../../../service/service.ts"
import type { SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { makeQuery, makeVoidMutation } from "../api-operations.ts"
import {
  nullIfEmpty,
  parseNumber,
  parseText,
  readChangedFields,
  readChangedLists,
  readFilledFields,
  readSelectedIds
} from "../form-fields.ts"
import { type ActionRedirect, type HostAction, makeActionError } from "../host-page.ts"
import { PROPERTIES_PATH } from "../urls.ts"
import { parsePriceItems } from "./price-item-text.ts"
import { CHANGE_PRICING_ACTION } from "./property-form.ts"

type PropertyPageActions = Readonly<Record<string, HostAction>>
type Mutation = ReturnType<typeof makeVoidMutation>

const BACK_TO_PROPERTIES: ActionRedirect = { _tag: "GoOn", url: PROPERTIES_PATH }

const readText = (form: SubmittedForm, name: string): string => (form.get(name) ?? "").trim()

const readFormId = (form: SubmittedForm): number | undefined => parseRecordId(form.get("id"))

/** Returns an invalid id unchanged, so that the operation reports it. */
const recordIdField = (form: SubmittedForm) => ({ id: readFormId(form) ?? form.get("id") ?? "" })

const makeRedirectingAction =
  (mutate: Mutation) =>
  (message: string, operation: OperationName, fields: (form: SubmittedForm) => Schema.JsonObject): HostAction => ({
    doneMessage: message,
    run: (visit, form) => Effect.as(mutate(visit, form, operation, fields(form)), BACK_TO_PROPERTIES)
  })

export const makeGroupActions = (service: Service["Service"]): PropertyPageActions => {
  const [mutate, queryGroups] = [makeVoidMutation(service), makeQuery(service, search_property_groups)]
  const makeAction = makeRedirectingAction(mutate)
  return {
    make_group: makeAction("The group is made.", "create_property_group", (form) => ({
      name: readText(form, "name"),
      property_ids: readSelectedIds(form, "property_ids")
    })),
    change_group: {
      doneMessage: "The group is changed.",
      run: Effect.fnUntraced(function* (visit, form) {
        const changedLists = yield* readChangedLists(
          form,
          ["property_ids"],
          Effect.map(queryGroups(visit, recordIdField(form)), ({ groups: [group] }) => ({
            property_ids: group?.property_ids ?? []
          }))
        )
        yield* mutate(visit, form, "update_property_group", {
          ...recordIdField(form),
          ...readChangedFields(form, { name: parseText }),
          ...changedLists
        })
        return BACK_TO_PROPERTIES
      })
    },
    delete_group: makeAction(
      "The group is deleted; its properties stay as they are.",
      "delete_property_group",
      recordIdField
    )
  }
}

export const makeTagActions = (service: Service["Service"]): PropertyPageActions => {
  const [mutate, queryTags] = [makeVoidMutation(service), makeQuery(service, query_tags)]
  const makeAction = makeRedirectingAction(mutate)
  return {
    make_tag: makeAction("The tag is made.", "create_property_tag", (form) => ({
      name: readText(form, "name"),
      ...readFilledFields(form, { color: parseText }),
      property_ids: readSelectedIds(form, "property_ids"),
      room_type_ids: readSelectedIds(form, "room_type_ids")
    })),
    change_tag: {
      doneMessage: "The tag is changed.",
      run: Effect.fnUntraced(function* (visit, form) {
        const changedLists = yield* readChangedLists(
          form,
          ["property_ids", "room_type_ids"],
          Effect.map(queryTags(visit, recordIdField(form)), ({ tags: [tag] }) => ({
            property_ids: tag?.property_ids ?? [],
            room_type_ids: tag?.room_type_ids ?? []
          }))
        )
        yield* mutate(visit, form, "update_property_tag", {
          ...recordIdField(form),
          ...readChangedFields(form, { name: parseText, color: parseText }),
          ...changedLists
        })
        return BACK_TO_PROPERTIES
      })
    },
    delete_tag: makeAction("The tag is deleted and taken off everything.", "delete_property_tag", recordIdField)
  }
}

export const makeRoomTypeActions = (mutate: Mutation): PropertyPageActions => ({
  make_room_type: makeRedirectingAction(mutate)("The room type is made.", "create_room_type", (form) => ({
    title: readText(form, "title"),
    property_ids: readSelectedIds(form, "property_ids")
  }))
})

const PRICING_PARSERS = {
  currency: nullIfEmpty((text) => text.trim().toUpperCase()),
  capacity: nullIfEmpty(parseNumber),
  fees: parsePriceItems,
  taxes: parsePriceItems
}

export const makePropertyActions = (mutate: Mutation): PropertyPageActions => ({
  add_property: {
    doneMessage: "The property is added.",
    run: (visit, form) => mutate(visit, form, "create_property", { title: readText(form, "title") })
  },
  [CHANGE_PRICING_ACTION]: {
    doneMessage: "The prices of the property are saved.",
    run: (visit, form) =>
      mutate(visit, form, "update_property", { ...recordIdField(form), ...readChangedFields(form, PRICING_PARSERS) })
  },
  stop_letting: makeActivationAction(
    mutate,
    "The property is not let any more: its stays stay, every other night is closed.",
    false
  ),
  let_again: makeActivationAction(mutate, "The property is let again.", true)
})

const makeActivationAction = (mutate: Mutation, message: string, isActive: boolean): HostAction => ({
  doneMessage: message,
  run: (visit, form) => {
    const id = readFormId(form)
    return id === undefined
      ? Effect.fail(makeActionError(404, "There is no such property."))
      : mutate(visit, form, "update_property", { id, is_active: isActive })
  }
})
