import { Effect, Layer } from "effect"
import { type Caller, CurrentOperator } from "../../contract/caller.ts"
import { NotFound } from "../../contract/errors.ts"
import { pageOf } from "../../contract/page.ts"
import { currentSecond, instantText } from "../../contract/time.ts"
import { PublicUrl } from "../../installation.ts"
import { linkToken } from "../../sealing/places.ts"
import { Sealing, type Seals } from "../../sealing/Sealing.ts"
import { change, done, handled, layerHandled } from "../handled.ts"
import { noSuchProperties } from "../properties/belonging.ts"
import { addressOf, newToken } from "./address.ts"
import {
  type CalendarShareLink,
  CalendarShareLinks,
  type create_calendar_share_link,
  type delete_calendar_share_link,
  type search_calendar_share_links
} from "./contract.ts"
import { namedProperties } from "./rules.ts"
import { LinkRow, ShareLinkStore } from "./store.ts"

const shownUnder =
  (publicUrl: string, { open }: Seals) =>
  ({ token, created_at, ...link }: LinkRow, { operatorId }: Pick<Caller, "operatorId">): CalendarShareLink => ({
    ...link,
    url: addressOf(publicUrl, open(linkToken(operatorId, link.id), token)),
    created_at: instantText(created_at)
  })

type Shown = ReturnType<typeof shownUnder>

const searchLinks = (store: ShareLinkStore["Service"], shown: Shown) =>
  Effect.fnUntraced(function* (payload: typeof search_calendar_share_links.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const found = yield* store.search(operatorId, payload, pageOf(payload))
    return { calendar_share_links: found.rows.map((link) => shown(link, { operatorId })), total: found.total }
  })

const createLink = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof create_calendar_share_link.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const property_ids = yield* Effect.fromResult(namedProperties(payload))
    const link = { token: newToken(), property_ids, created_at: yield* currentSecond }
    if (payload.scope === "entire") return yield* store.entire(operatorId, link)
    const { id, token, unknown_properties } = yield* store.partial(operatorId, link)
    return id === null ? yield* noSuchProperties(unknown_properties) : { id, scope: payload.scope, ...link, token }
  })

const deleteLink = (store: ShareLinkStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof delete_calendar_share_link.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const removed = yield* store.remove(operatorId, payload.id)
    return removed === undefined ? yield* noSuchLink : undefined
  })

const noSuchLink = new NotFound({ message: "id: no such calendar share link." })

export const layerCalendarShareLinks = layerHandled(
  Effect.gen(function* () {
    const store = yield* ShareLinkStore
    const shown = shownUnder(yield* PublicUrl, yield* Sealing)
    return handled(CalendarShareLinks, {
      search_calendar_share_links: searchLinks(store, shown),
      create_calendar_share_link: change(createLink(store), LinkRow, (link, _payload, caller) => ({
        calendar_share_link: shown(link, caller)
      })),
      delete_calendar_share_link: done(deleteLink(store))
    })
  })
).pipe(Layer.provide(ShareLinkStore.layer))
