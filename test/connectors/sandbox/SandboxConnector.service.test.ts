import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Marketplace } from "../../../src/connectors/sandbox/Marketplace.ts"
import { SandboxConnector } from "../../../src/connectors/sandbox/SandboxConnector.ts"
import { SandboxOutbox } from "../../../src/connectors/sandbox/SandboxOutbox.ts"
import {
  createSandboxAccount,
  createSandboxListing,
  layerSandboxTest,
  ReceivedEvents
} from "../../support/connectors/sandbox/sandbox-accounts.ts"
import { defineConnectorSuite } from "../../support/domain/channels/port/connector-suite.ts"

defineConnectorSuite({
  name: "the sandbox",
  layer: layerSandboxTest,
  connector: SandboxConnector,
  openChannel: Effect.fnUntraced(function* (channelType) {
    const { remoteAccount: there, account } = yield* createSandboxAccount(channelType)
    return { account: there, listingId: yield* createSandboxListing(account, { base_price: 100, tax: 0 }) }
  }),
  requestBooking: ({ listingId }, check_in_date, check_out_date) =>
    Marketplace.use((market) =>
      market.bookOrder({ listing_id: listingId, guest_name: "Ana Reis", check_in_date, check_out_date })
    ).pipe(
      Effect.map(({ order_id }) => order_id),
      Effect.orDie
    ),
  changeCheckOut: (order_id, check_out_date) =>
    Effect.orDie(Effect.asVoid(Marketplace.use((market) => market.changeOrder({ order_id, check_out_date })))),
  hasGuests: true,
  cancelOrder: (order_id) => Effect.orDie(Effect.asVoid(Marketplace.use((market) => market.cancelOrder({ order_id })))),
  listEvents: ({ account: { operatorId, accountId } }) =>
    Effect.gen(function* () {
      // What it answers it says a little later by itself.
      yield* TestClock.adjust("10 seconds")
      yield* SandboxOutbox.use(({ flush: tell }) => tell({ operator_id: operatorId, account_id: accountId }))
      return yield* ReceivedEvents.use(({ listEvents: heardOf }) => heardOf(accountId))
    })
})
