import { Effect, Schema } from "effect"
import { search_property_groups } from "../../../../domain/properties/groups/contract.ts"
import { create_property } from "../../../../domain/properties/properties/contract.ts"
import { query_tags } from "../../../../domain/properties/tags/contract.ts"
import type { OperationName } from "../../../../service/Api.ts"
import type { Service } from "../../../../service/service.ts"
import type { SubmittedForm } from "../../visit.ts"
import { parseRecordId } from "../../visit.ts"
import { makeMutation, makeQuery, makeVoidMutation } from "../api-operations.ts"
import { parseText, readChangedFields, readChangedLists, readFilledFields, readSelectedIds } from "../form-values.ts"
import type { ActionRedirect, HostAction } from "../host-page.ts"
import { PROPERTIES_PATH, propertyUrl } from "../urls.ts"
import { ADD_PROPERTY_ACTION } from "./property-form.ts"

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
    make_group: makeAction("Group added.", "create_property_group", (form) => ({
      name: readText(form, "name"),
      property_ids: readSelectedIds(form, "property_ids")
    })),
    change_group: {
      doneMessage: "Group saved.",
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
    delete_group: makeAction("Group deleted. Its properties are unchanged.", "delete_property_group", recordIdField)
  }
}

export const makeTagActions = (service: Service["Service"]): PropertyPageActions => {
  const [mutate, queryTags] = [makeVoidMutation(service), makeQuery(service, query_tags)]
  const makeAction = makeRedirectingAction(mutate)
  return {
    make_tag: makeAction("Tag added.", "create_property_tag", (form) => ({
      name: readText(form, "name"),
      ...readFilledFields(form, { color: parseText }),
      property_ids: readSelectedIds(form, "property_ids"),
      room_type_ids: readSelectedIds(form, "room_type_ids")
    })),
    change_tag: {
      doneMessage: "Tag saved.",
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
    delete_tag: makeAction("Tag deleted and removed everywhere.", "delete_property_tag", recordIdField)
  }
}

export const makeRoomTypeActions = (mutate: Mutation): PropertyPageActions => ({
  make_room_type: makeRedirectingAction(mutate)("Room type added.", "create_room_type", (form) => ({
    title: readText(form, "title"),
    property_ids: readSelectedIds(form, "property_ids")
  }))
})

const decodeNewProperty = Schema.decodeUnknownSync(create_property.successSchema)

export const makePropertyActions = (service: Service["Service"]): PropertyPageActions => {
  const mutate = makeMutation(service)
  return {
    [ADD_PROPERTY_ACTION]: {
      doneMessage: "Property added.",
      run: Effect.fnUntraced(function* (visit, form) {
        const title = readText(form, "title")
        const { property_id } = decodeNewProperty(yield* mutate(visit, form, "create_property", { title }))
        return { _tag: "GoOn", url: propertyUrl(property_id), notice: { text: `${title} added. Fill in its details.` } }
      })
    }
  }
}
