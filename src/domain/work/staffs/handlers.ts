import { Effect, Layer } from "effect"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { asList } from "../../../contract/id-list.ts"
import { nameOf } from "../../../contract/names.ts"
import { pageOf } from "../../../contract/page.ts"
import { currentSecond } from "../../../contract/time.ts"
import { Deployment } from "../../../platform/installation.ts"
import { change, done, handled, layerHandled } from "../../handled.ts"
import { noSuchNamed, noSuchProperties } from "../../properties/properties/belonging.ts"
import { Identity } from "../../row-fields.ts"
import { type create_staff, type delete_staff, type query_staffs, Staffs, type update_staff } from "./contract.ts"
import { mobileOf, wrongMobile } from "./rules.ts"
import { StaffStore } from "./store.ts"

type Store = StaffStore["Service"]

const queryStaffs = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof query_staffs.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const is_active = payload.is_active === undefined ? undefined : payload.is_active === 1
    const found = yield* store.search(caller.operatorId, { id: payload.id, is_active }, pageOf(payload))
    return { staffs: found.rows, total: found.total }
  })

const createStaff = (store: Store, deployment: Kind) =>
  Effect.fnUntraced(function* (payload: typeof create_staff.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const mobile = yield* readMobile(deployment, payload.mobile)
    const { email = "", note = "", property_ids = [] } = payload
    const { id, unknown_properties } = yield* store.create(
      caller.operatorId,
      { name: nameOf(payload.name), mobile, email, note, property_ids: asList(property_ids) },
      yield* currentSecond
    )
    return id === null ? yield* noSuchProperties(unknown_properties) : { id }
  })

const updateStaff = (store: Store, deployment: Kind) =>
  Effect.fnUntraced(function* ({ id, ...edit }: typeof update_staff.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const mobile = edit.mobile === undefined ? undefined : yield* readMobile(deployment, edit.mobile)
    const updated = yield* store.update(
      caller.operatorId,
      id,
      {
        ...edit,
        mobile,
        name: edit.name === undefined ? undefined : nameOf(edit.name),
        property_ids: edit.property_ids === undefined ? undefined : asList(edit.property_ids)
      },
      yield* currentSecond
    )
    return updated.id === null ? yield* noSuchNamed(updated) ?? noSuchStaff : undefined
  })

const deleteStaff = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof delete_staff.payloadSchema.Type) {
    const caller = yield* CurrentOperator
    const removed = yield* store.remove(caller.operatorId, payload.id)
    return removed === undefined ? yield* noSuchStaff : undefined
  })

const noSuchStaff = new NotFound({ message: "id: no such staff member." })

type Kind = typeof Deployment.Service

const readMobile = (deployment: Kind, text: string): Effect.Effect<string, ValidationFailed> => {
  const mobile = mobileOf(deployment, text)
  return mobile === undefined ? Effect.fail(wrongMobile(deployment)) : Effect.succeed(mobile)
}

export const layerStaffs = layerHandled(
  Effect.gen(function* () {
    const store = yield* StaffStore
    const deployment = yield* Deployment
    return handled(Staffs, {
      query_staffs: queryStaffs(store),
      create_staff: change(createStaff(store, deployment), Identity, ({ id }) => ({ staff_id: id })),
      update_staff: done(updateStaff(store, deployment)),
      delete_staff: done(deleteStaff(store))
    })
  })
).pipe(Layer.provide(StaffStore.layer))
