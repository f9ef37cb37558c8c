import { Clock, Effect, Layer } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { pageOf } from "../../contract/page.ts"
import { instantText, wholeSecond } from "../../contract/time.ts"
import { PublicUrl } from "../../installation.ts"
import { handled, layerHandled } from "../handled.ts"
import { noSuchProperties } from "../properties/belonging.ts"
import { addressOf, newToken } from "./address.ts"
import { type CalendarShareLink, CalendarShareLinks } from "./contract.ts"
import { namedProperties } from "./rules.ts"
import { type LinkRow, ShareLinkStore } from "./store.ts"

export const layerCalendarShareLinks = layerHandled(
  Effect.gen(function* () {
    const store = yield* ShareLinkStore
    const publicUrl = yield* PublicUrl

    const toLink = (row: LinkRow): CalendarShareLink => ({
      id: row.id,
      scope: row.scope,
      url: addressOf(publicUrl, row.token),
      property_ids: row.propertyIds,
      created_at: instantText(row.createdAt)
    })

    return handled(CalendarShareLinks, {
      search_calendar_share_links: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const found = yield* store.search(operatorId, { id: payload.id }, pageOf(payload))
        return { calendar_share_links: found.rows.map(toLink), total: found.total }
      }),

      create_calendar_share_link: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const propertyIds = yield* Effect.fromResult(namedProperties(payload))
        const token = newToken()
        const createdAt = wholeSecond(yield* Clock.currentTimeMillis)
        if (payload.scope === "entire") {
          return { calendar_share_link: toLink(yield* store.entire(operatorId, token, createdAt)) }
        }
        const { id, unknownProperties } = yield* store.partial(operatorId, propertyIds, token, createdAt)
        if (id === null) return yield* noSuchProperties(unknownProperties)
        return { calendar_share_link: toLink({ id, scope: "partial", token, propertyIds, createdAt }) }
      }),

      delete_calendar_share_link: Effect.fnUntraced(function* (payload) {
        const { operatorId } = yield* CurrentOperator
        const removed = yield* store.remove(operatorId, payload.id)
        return removed === undefined ? yield* noSuchLink : {}
      })
    })
  })
).pipe(Layer.provide(ShareLinkStore.layer))

const noSuchLink = new NotFound({ message: "id: no such calendar share link." })
