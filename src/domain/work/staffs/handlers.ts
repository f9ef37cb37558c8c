import { Effect } from "effect"
import { CurrentCaller } from "../../../contract/caller.ts"
import { NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { toSortedUniqueIds } from "../../../contract/id-list.ts"
import { trimName } from "../../../contract/names.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond } from "../../../contract/time.ts"
import { Deployment } from "../../../platform/installation.ts"
import { RowId } from "../../column-schemas.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { toMissingReferenceError, toUnknownPropertiesError } from "../../properties/properties/ownership.ts"
import {
  type create_staff,
  type delete_staff,
  type query_staffs,
  StaffOperations,
  type update_staff
} from "./contract.ts"
import { invalidMobileError, parseMobile } from "./rules.ts"
import { StaffStore } from "./store.ts"

type Store = StaffStore["Service"]

const queryStaffs = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof query_staffs.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const is_active = payload.is_active === undefined ? undefined : payload.is_active === 1
    const page = yield* store.search(caller.operatorId, { id: payload.id, is_active }, toPage(payload))
    return { staffs: page.rows, total: page.total }
  })

const createStaff = (store: Store, deployment: DeploymentKind) =>
  Effect.fnUntraced(function* (payload: typeof create_staff.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const mobile = yield* parseMobileOrFail(deployment, payload.mobile)
    const { email = "", note = "", property_ids = [] } = payload
    const { id, unknown_properties } = yield* store.create(
      caller.operatorId,
      { name: trimName(payload.name), mobile, email, note, property_ids: toSortedUniqueIds(property_ids) },
      yield* currentSecond
    )
    return id === null ? yield* toUnknownPropertiesError(unknown_properties) : { id }
  })

const updateStaff = (store: Store, deployment: DeploymentKind) =>
  Effect.fnUntraced(function* ({ id, ...edit }: typeof update_staff.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const mobile = edit.mobile === undefined ? undefined : yield* parseMobileOrFail(deployment, edit.mobile)
    const updated = yield* store.update(
      caller.operatorId,
      id,
      {
        ...edit,
        mobile,
        name: edit.name === undefined ? undefined : trimName(edit.name),
        property_ids: edit.property_ids === undefined ? undefined : toSortedUniqueIds(edit.property_ids)
      },
      yield* currentSecond
    )
    return updated.id === null ? yield* toMissingReferenceError(updated) ?? staffNotFoundError : undefined
  })

const deleteStaff = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_staff.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const deletedStaff = yield* store.remove(caller.operatorId, payload.id)
    return deletedStaff === undefined ? yield* staffNotFoundError : undefined
  })

const staffNotFoundError = new NotFound({ message: "id: no such staff member." })

type DeploymentKind = typeof Deployment.Service

const parseMobileOrFail = (deployment: DeploymentKind, text: string): Effect.Effect<string, ValidationFailed> => {
  const mobile = parseMobile(deployment, text)
  return mobile === undefined ? Effect.fail(invalidMobileError(deployment)) : Effect.succeed(mobile)
}

export const layerStaffs = layerOperations(
  Effect.gen(function* () {
    const store = yield* StaffStore
    const deployment = yield* Deployment
    return handleOperations(StaffOperations, {
      query_staffs: queryStaffs(store),
      create_staff: changeHandler(createStaff(store, deployment), RowId, ({ id }) => ({ staff_id: id })),
      update_staff: voidChangeHandler(updateStaff(store, deployment)),
      delete_staff: voidChangeHandler(deleteStaff(store))
    })
  })
)
