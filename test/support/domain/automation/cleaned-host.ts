import { Effect } from "effect"
import { insertProperty } from "../../harness.ts"
import { createHostOnEmptyTables, dispatchAndPlan } from "./automation-service.ts"

export const CLEANING_RULE = {
  name: "Cleaning",
  action: "task",
  trigger: { event: "check_out", when: "after", hours: 1 },
  task: { type: "cleaning", level: "standard", staff: "property" }
} as const

/** A host with a cleaning rule, who books and moves stays over the API. After each call the stays are planned. */
export const createCleanedHost = Effect.gen(function* () {
  const host = yield* createHostOnEmptyTables
  const { api, as, operatorId, property } = host
  const otherProperty = yield* insertProperty(operatorId, "Harbour 2")
  const { custom_channels } = yield* api.query_custom_channels({}).pipe(as)
  const { income_methods } = yield* api.query_income_methods({}).pipe(as)
  const then = <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.tap(change, () => dispatchAndPlan)
  const createReservation = (checkIn: string, checkOut: string, propertyId: number) =>
    api
      .create_reservation({
        property_id: propertyId,
        custom_channel_id: custom_channels[0]?.id ?? 0,
        check_in_date: checkIn,
        check_out_date: checkOut,
        guest_name: "Ada Lovelace",
        currency: "EUR",
        rate_amount: 100,
        commission_amount: 0,
        received_amount: 0,
        income_method_id: income_methods[0]?.id ?? 0
      })
      .pipe(as)
  return {
    ...host,
    otherProperty,
    createRule: Effect.map(then(api.create_automation_rule(CLEANING_RULE).pipe(as)), ({ rule_id }) => rule_id),
    /** Plans nothing. */
    createReservation,
    bookStay: (checkIn: string, checkOut: string, propertyId: number = property) =>
      then(createReservation(checkIn, checkOut, propertyId)),
    moveStay: (code: string, dates: { readonly check_in_date?: string; readonly check_out_date?: string }) =>
      then(api.update_reservation_basic({ stay_code: code, ...dates }).pipe(as)),
    allocateStay: (code: string, propertyId: number) =>
      then(api.allocate_stay({ stay_code: code, property_id: propertyId }).pipe(as)),
    unassignStay: (code: string) => then(api.move_stay_to_box({ stay_code: code }).pipe(as)),
    cancelStay: (code: string) => then(api.cancel_reservation({ reservation_code: code }).pipe(as)),
    listTasks: Effect.map(api.search_tasks({ limit: 100 }).pipe(as), ({ tasks }) => tasks)
  }
})
