import { Clock, Context, Effect, Layer, Option } from "effect"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { SHARED_PART_PROPERTIES_MAX } from "../../../platform/limits.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { Availability } from "../availability/Availability.ts"
import { firstOfMonthAfter } from "./rules.ts"
import { isShareLinkToken } from "./share-link-url.ts"
import { type SharedPropertySummary, type ShareLinkKey, ShareLinkStore } from "./store.ts"

export type { SharedPropertySummary }

export interface OpenedLink extends ShareLinkKey {
  /** In the operator's time zone. */
  readonly today: string
}

export interface SharedProperty extends SharedPropertySummary {
  readonly days: ReadonlyArray<{ readonly date: string; readonly available: boolean }>
}

export interface SharedPropertiesPage {
  readonly total: number
  readonly properties: ReadonlyArray<SharedPropertySummary>
}

/** Whole months, of which the first `pastMonths` are before the current one. */
interface MonthSpan {
  readonly pastMonths: number
  readonly months: number
}

/**
 * A link may share 100,000 properties, so callers must list them in parts, and read the days of a few at a time.
 *
 * Callers must hold a concurrency permit of the sharing operator for the whole response.
 */
export class SharedCalendars extends Context.Service<
  SharedCalendars,
  {
    /** Returns none for an unknown token or a suspended operator. */
    readonly open: (token: string) => Effect.Effect<Option.Option<OpenedLink>>
    /**
     * Parts start at 1 and follow the order of creation, so a new property changes only the last part. Within a part,
     * properties are sorted by title.
     */
    readonly listPropertiesPage: (link: OpenedLink, partNumber: number) => Effect.Effect<SharedPropertiesPage>
    /** Keeps the order of `properties`. A property that was deleted after it was listed has no days. */
    readonly listDays: (
      link: OpenedLink,
      properties: ReadonlyArray<SharedPropertySummary>,
      span: MonthSpan
    ) => Effect.Effect<ReadonlyArray<SharedProperty>>
  }
>()("latchkey/domain/calendars/calendar-share-links/SharedCalendars") {
  static readonly layer = Layer.effect(
    SharedCalendars,
    Effect.gen(function* () {
      const store = yield* ShareLinkStore
      const availability = yield* Availability
      return SharedCalendars.of({
        open: open(store),
        listPropertiesPage: listPropertiesPage(store),
        listDays: listDays(availability)
      })
    })
  ).pipe(Layer.provide([ShareLinkStore.layer, Availability.layer]))
}

const open = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (token: string) {
    const link = isShareLinkToken(token) ? yield* store.findByToken(token) : undefined
    if (link === undefined) return Option.none()
    const { time_zone, ...key } = link
    return Option.some({ ...key, today: dateInZone(yield* Clock.currentTimeMillis, time_zone) })
  }, withChildSpan("SharedCalendars.open"))

const listPropertiesPage = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (link: OpenedLink, partNumber: number) {
    const limit = SHARED_PART_PROPERTIES_MAX
    const total = yield* store.countProperties(link)
    const rows = yield* store.listProperties(link, { offset: (partNumber - 1) * limit, limit })
    return { total, properties: rows.toSorted((one, other) => titleCollator.compare(one.title, other.title)) }
  }, withChildSpan("SharedCalendars.part"))

const listDays = (availability: Availability["Service"]) =>
  Effect.fnUntraced(function* (
    { operator_id, today }: OpenedLink,
    properties: ReadonlyArray<SharedPropertySummary>,
    { pastMonths, months }: MonthSpan
  ) {
    const ids = properties.map(({ id }) => id)
    const last = addDays(firstOfMonthAfter(today, months - pastMonths), -1)
    const calendars = yield* availability.listDays(operator_id, ids, {
      start: firstOfMonthAfter(today, -pastMonths),
      end: last
    })
    const daysById = new Map(calendars.map(({ id, availabilities }) => [id, availabilities]))
    return properties.map(({ id, title }) => ({
      id,
      title,
      // Remarks are private.
      days: (daysById.get(id) ?? []).map(({ date, available }) => ({ date, available }))
    }))
  }, withChildSpan("SharedCalendars.days"))

/** Sorts Room 2 before Room 10. */
const titleCollator = new Intl.Collator("en", { numeric: true })
