import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../src/connectors/sandbox/SandboxConnector.ts"
import { SandboxOutbox } from "../../../src/connectors/sandbox/SandboxOutbox.ts"
import {
  createSandboxAccount,
  createSandboxListing,
  layerWithListener,
  ReceivedEvents
} from "../../support/connectors/sandbox/sandbox-accounts.ts"
import { connectorSuite } from "../../support/domain/channels/port/connector-suite.ts"

connectorSuite({
  name: "the sandbox",
  layer: layerWithListener,
  connector: SandboxConnector,
  open: Effect.fnUntraced(function* (channelType) {
    const { there, account } = yield* createSandboxAccount(channelType)
    return { account: there, listingId: yield* createSandboxListing(account, { base_price: 100, tax: 0 }) }
  }),
  request: ({ listingId }, check_in_date, check_out_date) =>
    Marketplace.use((market) =>
      market.book({ listing_id: listingId, guest_name: "Ana Reis", check_in_date, check_out_date })
    ).pipe(
      Effect.map(({ order_id }) => order_id),
      Effect.orDie
    ),
  change: (order_id, check_out_date) =>
    Effect.orDie(Effect.asVoid(Marketplace.use((market) => market.changeOrder({ order_id, check_out_date })))),
  guests: true,
  cancel: (order_id) => Effect.orDie(Effect.asVoid(Marketplace.use((market) => market.cancel({ order_id })))),
  said: ({ account: { operatorId, accountId } }) =>
    Effect.gen(function* () {
      // What it answers it says a little later by itself.
      yield* TestClock.adjust("10 seconds")
      yield* SandboxOutbox.use(({ flush: tell }) => tell({ operator_id: operatorId, account_id: accountId }))
      return yield* ReceivedEvents.use(({ heardOf }) => heardOf(accountId))
    })
})
