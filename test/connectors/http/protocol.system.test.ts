import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue, Schema } from "effect"
import { TestClock } from "effect/testing"
import { toConnectorName } from "../../../src/connectors/http/connector-names.ts"
import { Ingest } from "../../../src/connectors/ingest/Ingest.ts"
import { ChannelEvent } from "../../../src/domain/channels/port/channel-events.ts"
import { type Connector, Connectors } from "../../../src/domain/channels/port/connector.ts"
import {
  createConnector,
  layerConnectorEndpointWithReceiver,
  layerConnectorsOverHttp
} from "../../support/connectors/http/http-connectors.ts"
import { sendConnectorMessage } from "../../support/connectors/http/signed-messages.ts"
import { startReceiver } from "../../support/domain/webhooks/deliveries/webhook-receiver.ts"
import { createOperator, layerTest } from "../../support/harness.ts"
import { BaseUrl, layerHttpServerOf } from "../../support/http-server.ts"
import { insertChannelAccount } from "../../support/listings.ts"

// The page says what is sent: every example of it is, and is answered as it says.

const docs = join(import.meta.dirname, "../../../docs")
const page = readFileSync(join(docs, "guides/connect-a-channel.md"), "utf8")
const settings = readFileSync(join(docs, "examples/airbnb-settings.json"), "utf8")

const lines = page.split("\n")
const examplesOf = (beginning: string): ReadonlyArray<string> => lines.filter((line) => line.startsWith(beginning))

/** The rows of its tables, cell by cell. */
const rows = lines.flatMap((line) =>
  line.startsWith("|")
    ? [
        line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim())
      ]
    : []
)

/** What the page says that a message of the type is answered. */
const answerTo = (type: string): string => {
  const [, , answer = ""] = rows.find(([types = ""]) => types.split(", ").includes(`\`${type}\``)) ?? []
  return answer.replace(/^`|`$/g, "").replace("{…}", settings)
}

const Asked = Schema.Struct({
  type: Schema.String,
  account: Schema.Struct({
    channel_account_id: Schema.Int,
    channel_type: Schema.String,
    origin_account_id: Schema.String
  }),
  reservation_code: Schema.optionalKey(Schema.String),
  channel_id: Schema.optionalKey(Schema.String),
  listing_id: Schema.optionalKey(Schema.String),
  start_date: Schema.optionalKey(Schema.String),
  end_date: Schema.optionalKey(Schema.String)
})
const readAsked = Schema.decodeUnknownSync(Asked)

/** Does with a connector what a message asks; what it carries beside is the message's own. */
const asking = (connector: Connector, example: string): Effect.Effect<unknown, unknown> => {
  const asked = readAsked(JSON.parse(example))
  const carried = JSON.parse(example)
  const account = {
    operatorId: 1,
    accountId: asked.account.channel_account_id,
    channelType: asked.account.channel_type,
    originAccountId: asked.account.origin_account_id
  }
  const order = { reservationCode: asked.reservation_code ?? "", channelId: asked.channel_id ?? "" }
  const listingId = asked.listing_id ?? ""
  const acts: { readonly [type: string]: () => Effect.Effect<unknown, unknown> } = {
    approve: () => connector.approve(account, order),
    decline: () => connector.decline(account, order),
    answered: () => connector.answered(account, order),
    push_prices: () => connector.pushPrices(account, { listingId, prices: carried.prices }),
    push_inventories: () => connector.pushInventories(account, { listingId, inventories: carried.inventories }),
    push_restrictions: () => connector.pushRestrictions(account, { listingId, restrictions: carried.restrictions }),
    read_calendar: () =>
      connector.readCalendar(account, { listingId, start: asked.start_date ?? "", end: asked.end_date ?? "" }),
    read_airbnb_price_and_rules: () => connector.readAirbnbPriceAndRules(account, { listingId }),
    write_airbnb_price_and_rules: () =>
      connector.writeAirbnbPriceAndRules(account, { listingId, settings: carried.settings }),
    write_vrbo_price_and_rules: () =>
      connector.writeVrboPriceAndRules(account, { listingId, settings: carried.settings }),
    send_message: () =>
      connector.sendMessage(account, {
        threadId: carried.thread_id,
        messageId: carried.message_id,
        text: carried.text,
        imageUrl: carried.image_url,
        again: carried.again
      }),
    send_offer: () =>
      connector.sendOffer(account, {
        threadId: carried.thread_id,
        reference: carried.reference,
        offerType: carried.offer_type,
        listingId,
        ratePlanId: carried.rate_plan_id,
        checkInDate: carried.check_in_date,
        checkOutDate: carried.check_out_date,
        numberOfAdults: carried.number_of_adults,
        numberOfChildren: carried.number_of_children,
        numberOfInfants: carried.number_of_infants,
        numberOfPets: carried.number_of_pets,
        price: carried.price,
        currency: carried.currency
      }),
    withdraw_offer: () => connector.withdrawOffer(account, { threadId: carried.thread_id, offerId: carried.offer_id }),
    write_review: () => {
      const { category_ratings: categoryRatings, ...review } = carried.review
      return connector.writeReview(account, { ...order, review: { ...review, categoryRatings }, reply: carried.reply })
    }
  }
  return acts[asked.type]?.() ?? Effect.die(new Error(`nothing asks ${asked.type}`))
}

const layerBoth = Layer.provideMerge(
  layerConnectorsOverHttp,
  layerHttpServerOf(Layer.provideMerge(Layer.provide(layerConnectorEndpointWithReceiver, Ingest.layer), layerTest))
)

layer(layerBoth)("docs/guides/connect-a-channel.md", (it) => {
  it.effect("sends every message to connectors that it shows, and takes the answers that it shows", () =>
    Effect.gen(function* () {
      const { requests, port } = yield* startReceiver((response, { body }) => {
        response.writeHead(200).end(answerTo(JSON.parse(body).type))
      })
      const { id } = yield* createConnector(`http://127.0.0.1:${port}/`)
      const connector = (yield* Connectors).find(toConnectorName(id))
      const examples = examplesOf('{"type":')
      for (const example of examples) {
        const result = connector === undefined ? undefined : yield* asking(connector, example)
        assert.deepStrictEqual(JSON.parse((yield* Queue.take(requests)).body), JSON.parse(example))
        const { days, answer, channel_message_id, offer_id } = JSON.parse(answerTo(JSON.parse(example).type))
        if (days !== undefined) assert.deepStrictEqual(result, days)
        if (answer !== undefined) assert.strictEqual(result, answer)
        if (channel_message_id !== undefined) assert.deepInclude(result, { channelMessageId: channel_message_id })
        if (offer_id !== undefined) assert.deepInclude(result, { offerId: offer_id })
      }
      const shown = examples.map((example) => readAsked(JSON.parse(example)).type)
      assert.strictEqual(new Set(shown).size, Object.keys(connector ?? {}).length)
    })
  )

  it.effect("hears every message of a connector that it shows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-05T09:00:00Z"))
      const { id, secret } = yield* createConnector("http://127.0.0.1:9/said")
      const { operatorId } = yield* createOperator()
      const account = yield* insertChannelAccount(operatorId, { channelType: "airbnb", connector: toConnectorName(id) })
      const examples = examplesOf('{"account":')
      for (const example of examples) {
        const body = example.replace('"channel_account_id": 12', `"channel_account_id": ${account}`)
        const answer = yield* sendConnectorMessage(`${yield* BaseUrl}/connectors/${id}`, { secrets: [secret], body })
        assert.deepStrictEqual([answer.status, answer.body], [200, { outcome: "applied" }], body)
      }
      const kinds = ChannelEvent.members.map(({ fields }) => fields.type.literal)
      assert.sameMembers(
        examples.map((example) => JSON.parse(example).said.type),
        kinds
      )
    })
  )
})
