import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound, ValidationFailed } from "../../contract/errors.ts"
import { asList } from "../../contract/id-list.ts"
import { nameOf } from "../../contract/names.ts"
import { pageOf } from "../../contract/page.ts"
import { wholeSecond } from "../../contract/time.ts"
import { Deployment } from "../../installation.ts"
import { handled, layerHandled } from "../handled.ts"
import { noSuchProperties } from "../properties/belonging.ts"
import { Staffs } from "./contract.ts"
import { isMobile } from "./rules.ts"
import { StaffStore } from "./store.ts"

export const layerStaffs = layerHandled(
  Effect.gen(function* () {
    const store = yield* StaffStore
    const deployment = yield* Deployment

    const checkMobile = (mobile: string | undefined): Effect.Effect<void, ValidationFailed> =>
      mobile === undefined || isMobile(deployment, mobile) ? Effect.void : Effect.fail(WRONG_MOBILE[deployment])

    return handled(Staffs, {
      query_staffs: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const active = payload.is_active === undefined ? undefined : payload.is_active === 1
        const found = yield* store.search(caller.operatorId, { id: payload.id, active }, pageOf(payload))
        return { staffs: found.rows, total: found.total }
      }),

      create_staff: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        yield* checkMobile(payload.mobile)
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const created = yield* store.create(
          caller.operatorId,
          {
            name: nameOf(payload.name),
            mobile: payload.mobile,
            email: payload.email ?? "",
            note: payload.note ?? "",
            propertyIds: asList(payload.property_ids ?? [])
          },
          now
        )
        return created.id === null ? yield* noSuchProperties(created.unknownProperties) : { staff_id: created.id }
      }),

      update_staff: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        yield* checkMobile(payload.mobile)
        const now = wholeSecond(yield* Clock.currentTimeMillis)
        const updated = yield* store.update(
          caller.operatorId,
          payload.id,
          {
            name: payload.name === undefined ? undefined : nameOf(payload.name),
            mobile: payload.mobile,
            email: payload.email,
            note: payload.note,
            active: payload.is_active,
            propertyIds: payload.property_ids === undefined ? undefined : asList(payload.property_ids)
          },
          now
        )
        if (updated.unknownProperties.length > 0) return yield* noSuchProperties(updated.unknownProperties)
        return updated.id === null ? yield* noSuchStaff : {}
      }),

      delete_staff: Effect.fnUntraced(function* (payload) {
        const caller = yield* CurrentOperator
        const removed = yield* store.remove(caller.operatorId, payload.id)
        return removed === undefined ? yield* noSuchStaff : {}
      })
    })
  })
).pipe(Layer.provide(StaffStore.layer))

const noSuchStaff = new NotFound({ message: "id: no such staff member." })

const WRONG_MOBILE = {
  international: new ValidationFailed({
    message: "mobile: must be +<country code> <number>, such as +49 15112345678."
  }),
  regional: new ValidationFailed({ message: "mobile: must be a telephone number, such as 13800138000." })
}
