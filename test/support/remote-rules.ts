import { Effect, Ref } from "effect"
import type { ChannelAccountTarget } from "../../src/domain/channels/port/ChannelGateway.ts"
import type { RemoteListing } from "../../src/domain/channels/port/connector.ts"
import { type ChannelError, ChannelRefused } from "../../src/domain/channels/port/errors.ts"
import type { AirbnbPriceAndRules, VrboPriceAndRules } from "../../src/domain/channels/port/price-and-rules.ts"

// Prices and rules as a small marketplace keeps them: it does what it is told, a setting at a time.

export const ALLOWED_CANCELLATION_POLICIES = ["flexible", "moderate", "strict"]

/** Every setting of an `airbnb` listing that nobody has changed yet. */
export const INITIAL_AIRBNB_SETTINGS: AirbnbPriceAndRules = {
  listing_currency: "EUR",
  base_price: 120,
  weekend_price: null,
  security_deposit: 200,
  cleaning_fee: 45.5,
  short_term_cleaning_fee: null,
  pet_fee: 15,
  pet_fee_obj: null,
  extra_guest_fee: null,
  early_bird_discount: [{ discount: 10, days: 60 }],
  last_minute_discount: [{ discount: 5, days: 3 }],
  long_term_discount: [
    { discount: 10, days: 7 },
    { discount: 30, days: 28 }
  ],
  check_in_start_time: 15,
  check_in_end_time: "FLEXIBLE",
  check_out_before: 11,
  instant_booking: true,
  max_guests: 4,
  minimum_stay: 2,
  maximum_stay: 365,
  advance_notice: null,
  availability_window: 365,
  preparation_time: 1,
  days_of_week_check_in: [0, 5, 6],
  days_of_week_check_out: [0, 1, 5, 6],
  allow_rtb_above_max_nights: false,
  cancellation_policy: "moderate",
  long_term_cancellation_policy: null,
  non_refundable_price_factor: 10,
  day_of_week_min_nights: [{ day_of_week: 5, min_nights: 3 }],
  seasonal_min_stay: [{ start_date: "2027-07-01", end_date: "2027-08-31", min_nights: 7 }],
  new_listing_promotion: false,
  high_rated_guest_discount: true,
  mobile_only_discount: false
}

/** Every setting that can be sent, the first that excludes another left out; nothing as it is at first. */
export const EVERY_AIRBNB_SETTING = {
  ...INITIAL_AIRBNB_SETTINGS,
  base_price: 130,
  weekend_price: 150,
  extra_guest_fee: 12,
  advance_notice: 24,
  short_term_cleaning_fee: 20,
  pet_fee: null,
  pet_fee_obj: { amount: 10, charge_type: "PER_PET", charge_period: "PER_NIGHT" },
  long_term_cancellation_policy: 4,
  cancellation_policy: "strict"
}

export const EVERY_VRBO_SETTING = {
  nightly_rate: { sunday: 90, monday: 80, tuesday: 80, wednesday: 80, thursday: 90, friday: 110, saturday: 120 },
  weekly_discount: 10,
  monthly_discount: 25,
  cleaning_fee: 60,
  extra_guest_fee: 15,
  security_deposit: 300,
  extra_guest_number: 2,
  max_guests: 4,
  minimum_stay: 3,
  advance_notice: 2,
  availability_window: 365,
  check_in_start_time: "16:00",
  check_out_before: 11,
  instant_booking: true
}

/** Of a `vrbo` listing this marketplace keeps what it was told. */
type RemoteVrboSettings = Partial<VrboPriceAndRules>

/** What is done at the marketplace before an act of that name is: it may fail, or never end. */
type BeforeRequest = (name: string, listingId: string) => Effect.Effect<void, ChannelError>

export const makeRemoteRules = Effect.fnUntraced(function* (beforeRequest: BeforeRequest) {
  const airbnb = yield* Ref.make<ReadonlyMap<string, AirbnbPriceAndRules>>(new Map())
  const vrbo = yield* Ref.make<ReadonlyMap<string, RemoteVrboSettings>>(new Map())
  const policiesByListing = yield* Ref.make<ReadonlyMap<string, ReadonlyArray<string>>>(new Map())
  // Tests share a marketplace, and two operators may call a listing alike.
  const keyOf = ({ accountId }: ChannelAccountTarget, { listingId }: RemoteListing) => `${accountId} ${listingId}`
  return {
    gatewayMethods: {
      readAirbnbPriceAndRules: Effect.fnUntraced(function* (account: ChannelAccountTarget, listing: RemoteListing) {
        yield* beforeRequest("read_rules", listing.listingId)
        const settings = (yield* Ref.get(airbnb)).get(keyOf(account, listing)) ?? INITIAL_AIRBNB_SETTINGS
        const policies =
          (yield* Ref.get(policiesByListing)).get(keyOf(account, listing)) ?? ALLOWED_CANCELLATION_POLICIES
        return { settings, eligible_cancellation_policies: policies }
      }),
      writeAirbnbPriceAndRules: Effect.fnUntraced(function* (
        account: ChannelAccountTarget,
        { settings, ...listing }: RemoteListing & { readonly settings: Partial<AirbnbPriceAndRules> }
      ) {
        yield* beforeRequest("write_rules", listing.listingId)
        const { cancellation_policy: policy } = settings
        if (policy !== undefined && !ALLOWED_CANCELLATION_POLICIES.includes(policy))
          return yield* makeNotEligibleError(policy)
        const key = keyOf(account, listing)
        yield* Ref.update(
          airbnb,
          (all) => new Map([...all, [key, { ...INITIAL_AIRBNB_SETTINGS, ...all.get(key), ...settings }]])
        )
      }),
      writeVrboPriceAndRules: Effect.fnUntraced(function* (
        account: ChannelAccountTarget,
        { settings, ...listing }: RemoteListing & { readonly settings: RemoteVrboSettings }
      ) {
        yield* beforeRequest("write_rules", listing.listingId)
        const key = keyOf(account, listing)
        yield* Ref.update(vrbo, (all) => new Map([...all, [key, { ...all.get(key), ...settings }]]))
      })
    },
    /** How the listing stands there. */
    loadAirbnbSettings: (accountId: number, listingId: string) =>
      Effect.map(Ref.get(airbnb), (all) => all.get(`${accountId} ${listingId}`) ?? INITIAL_AIRBNB_SETTINGS),
    /** What it was told of the listing so far. */
    loadVrboSettings: (accountId: number, listingId: string) =>
      Effect.map(Ref.get(vrbo), (all) => all.get(`${accountId} ${listingId}`) ?? {}),
    /** Lets the listing choose from these policies. */
    setAllowedPolicies: (accountId: number, listingId: string, policies: ReadonlyArray<string>) =>
      Ref.update(policiesByListing, (all) => new Map([...all, [`${accountId} ${listingId}`, policies]])),
    /** Sets the listing there as its host does at the channel itself. */
    setAirbnbSettings: (accountId: number, listingId: string, settings: AirbnbPriceAndRules) =>
      Ref.update(airbnb, (all) => new Map([...all, [`${accountId} ${listingId}`, settings]]))
  }
})

export type RemoteRules = Effect.Success<ReturnType<typeof makeRemoteRules>>

const makeNotEligibleError = (policy: string) =>
  new ChannelRefused({ reason: `${policy} is not for this listing`, field: "settings.cancellation_policy" })
