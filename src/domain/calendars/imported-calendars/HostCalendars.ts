import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { Conflict, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { releasePermitForExternalAct } from "../../../contract/permit-release.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { makeSingleRowReader } from "../../../platform/database/rows.ts"
import { CONCURRENT_MANUAL_FETCHES_MAX } from "../../../platform/limits.ts"
import type { OperatorRowId } from "../../operator-rows.ts"
import { OutboundHttp } from "../../webhooks/deliveries/OutboundHttp.ts"
import type { CalendarAcceptance } from "./calendar-acceptance.ts"
import type { CalendarSettings } from "./calendar-settings.ts"
import { type AddedCalendar, type CalendarFetchReport, ImportedCalendars } from "./ImportedCalendars.ts"

const noSuchProperty = new NotFound({ message: "property: there is no such property." })
const noSuchCalendar = new NotFound({ message: "There is no such calendar." })

/** Seconds in which a fetch is over. */
const RETRY_SECONDS = 60

const fetchInProgress = new Conflict({
  message: "A calendar is being fetched; try again afterwards.",
  retryAfter: RETRY_SECONDS
})

const readOwn = makeSingleRowReader(Schema.Struct({ own: Schema.Boolean }))

/** Whether the operator has such a row, asked before what takes ids of anybody. */
const makeOwnershipCheck = (
  sql: SqlClient.SqlClient,
  table: "properties" | "imported_calendars",
  notFound: NotFound
) => {
  const statement = inForms(
    sql,
    ({ operatorId, id }: Givens<OperatorRowId>) =>
      sql`SELECT EXISTS (SELECT FROM ${sql(table)} WHERE operator_id = ${operatorId} AND id = ${id}) AS own`
  )
  return (operatorId: number, id: number): Effect.Effect<void, NotFound> =>
    Effect.flatMap(readOwn(statement({ operatorId, id })), ({ own }) => (own ? Effect.void : Effect.fail(notFound)))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [calendars, outbound, wakeUp] = [yield* ImportedCalendars, yield* OutboundHttp, yield* WakeUp]
  const checkOwnsProperty = makeOwnershipCheck(sql, "properties", noSuchProperty)
  const checkOwnsCalendar = makeOwnershipCheck(sql, "imported_calendars", noSuchCalendar)
  /** Whose calendars are being fetched for somebody who waits for it. */
  const fetchingOperators = new Set<number>()

  const fetchCalendar = (id: number) =>
    releasePermitForExternalAct(
      calendars.fetch(id).pipe(Effect.provideService(OutboundHttp, outbound), Effect.provideService(WakeUp, wakeUp))
    )

  const startFetch = (operatorId: number) =>
    Effect.suspend(() => {
      if (fetchingOperators.has(operatorId) || fetchingOperators.size >= CONCURRENT_MANUAL_FETCHES_MAX)
        return Effect.fail(fetchInProgress)
      fetchingOperators.add(operatorId)
      return Effect.void
    })

  return HostCalendars.of({
    add: (operatorId, propertyId, url, settings) =>
      Effect.andThen(checkOwnsProperty(operatorId, propertyId), calendars.add(propertyId, url, settings)),
    update: (operatorId, id, settings) =>
      Effect.andThen(checkOwnsCalendar(operatorId, id), calendars.update(id, settings)),
    accept: (operatorId, id, seen) =>
      Effect.andThen(
        checkOwnsCalendar(operatorId, id),
        calendars.accept(id, seen).pipe(Effect.provideService(WakeUp, wakeUp))
      ),
    remove: (operatorId, id) => Effect.andThen(checkOwnsCalendar(operatorId, id), calendars.remove(id)),
    fetch: (operatorId, id) =>
      Effect.andThen(
        checkOwnsCalendar(operatorId, id),
        Effect.acquireUseRelease(
          startFetch(operatorId),
          () => fetchCalendar(id),
          () => Effect.sync(() => fetchingOperators.delete(operatorId))
        )
      )
  })
})

/**
 * Calendars of elsewhere as their host has them in hand: of those of others it knows nothing. Takes no place; who shows a page does,
 * and has it back when a calendar was fetched.
 */
export class HostCalendars extends Context.Service<
  HostCalendars,
  {
    readonly add: (
      operatorId: number,
      propertyId: number,
      url: string,
      settings?: CalendarSettings
    ) => Effect.Effect<AddedCalendar, NotFound | ValidationFailed, CurrentActor>
    readonly update: (
      operatorId: number,
      id: number,
      settings: CalendarSettings
    ) => Effect.Effect<void, NotFound, CurrentActor>
    /** Accepts the feed with the digest `seen` as it was read. */
    readonly accept: (
      operatorId: number,
      id: number,
      seen: string
    ) => Effect.Effect<CalendarAcceptance, NotFound | Conflict, CurrentActor>
    readonly remove: (operatorId: number, id: number) => Effect.Effect<void, NotFound | Conflict, CurrentActor>
    /** Fetches it now; one of an operator's at a time in a process. */
    readonly fetch: (
      operatorId: number,
      id: number
    ) => Effect.Effect<CalendarFetchReport, NotFound | Conflict, CurrentActor>
  }
>()("latchkey/domain/calendars/imported-calendars/HostCalendars") {
  static readonly layer: Layer.Layer<HostCalendars, never, SqlClient.SqlClient | OutboundHttp | WakeUp> = Layer.effect(
    HostCalendars,
    make
  ).pipe(Layer.provide(ImportedCalendars.layer))
}
