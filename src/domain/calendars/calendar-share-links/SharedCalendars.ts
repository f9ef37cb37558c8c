import { Clock, Context, Effect, Layer, Option } from "effect"
import { addDays, dateInZone } from "../../../contract/time.ts"
import { SHARED_PART_PROPERTIES_MAX } from "../../../platform/limits.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { Availability } from "../availability/Availability.ts"
import { firstOfMonthAfter } from "./rules.ts"
import { isShareLinkToken } from "./share-link-url.ts"
import { type SharedPropertySummary, type ShareLinkKey, ShareLinkStore } from "./store.ts"

export type { SharedPropertySummary }

/** A link that somebody has opened. */
export interface OpenedLink extends ShareLinkKey {
  /** Today where the merchant is. */
  readonly today: string
}

export interface SharedProperty extends SharedPropertySummary {
  /** One entry a day, in order and without gaps. */
  readonly days: ReadonlyArray<{ readonly date: string; readonly available: boolean }>
}

/** Some of the properties of a link, and how many it has in all. */
export interface SharedPropertiesPage {
  readonly total: number
  readonly properties: ReadonlyArray<SharedPropertySummary>
}

/** Whole months that begin `past` months before this one. */
interface MonthSpan {
  readonly pastMonths: number
  readonly months: number
}

/**
 * How a merchant's calendar looks from outside. A link may have a hundred thousand properties, so nothing here reads all
 * of them: who shows a calendar asks for one part of its properties, and then for the days of a few of these at a time.
 *
 * Takes no place: who shows a calendar does so in one of the operator who shares it, from the first of these to the page.
 */
export class SharedCalendars extends Context.Service<
  SharedCalendars,
  {
    /** The link a token opens; none when it is unknown or deleted, or the account behind it is banned or closed. */
    readonly open: (token: string) => Effect.Effect<Option.Option<OpenedLink>>
    /**
     * Part `number`, from 1, of the properties in the order they were added, so that a new one moves none to another part;
     * {@link SHARED_PART_PROPERTIES_MAX} of them at most, sorted by title.
     */
    readonly listPropertiesPage: (link: OpenedLink, partNumber: number) => Effect.Effect<SharedPropertiesPage>
    /** The days of properties of the link, in the order given; of one that is gone meanwhile there are none. */
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
      // Without what is remarked on them.
      days: (daysById.get(id) ?? []).map(({ date, available }) => ({ date, available }))
    }))
  }, withChildSpan("SharedCalendars.days"))

/** As people sort: Room 2 before Room 10. */
const titleCollator = new Intl.Collator("en", { numeric: true })
