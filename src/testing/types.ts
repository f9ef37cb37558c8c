/** How the test server starts. */
export interface LatchkeyOptions {
  /**
   * The data that the server starts with. `"demo"` (default): the demo operator with 8 properties and reservations around
   * `now`. `"empty"`: one operator without properties. A function starts from `"empty"` and adds the data. Every later
   * {@link TestLatchkey.reset} restores what it added.
   */
  readonly seed?: "demo" | "empty" | ((latchkey: TestLatchkey) => Promise<void>) | undefined
  /** The time of the server's clock at the start. A text is ISO 8601, such as `2027-01-04T09:00:00Z`. Default: the present. */
  readonly now?: Date | string | undefined
  /** A port of 127.0.0.1. Default: 0, which takes a free port. */
  readonly port?: number | undefined
}

/** A test server that runs as a child process. It ends at {@link TestLatchkey.close}, or with this process. */
export interface TestLatchkey {
  /** Such as `http://127.0.0.1:4000`, without a slash at the end. REST is below `/v3`. */
  readonly url: string
  /** The address of the MCP endpoint. */
  readonly mcpUrl: string
  /** The address of the built-in webhook receiver. Append `?status=503` to make it reject deliveries. */
  readonly receiverUrl: string
  /** The id of the seeded operator. */
  readonly operatorId: number
  /** A token of the seeded operator that may read and write. Send it in the header `Service-Access-Token`. */
  readonly token: string
  /** A token of the seeded operator that may only read. */
  readonly readOnlyToken: string
  /** Creates another operator with properties. Each property has a listing in the sandbox. */
  readonly operator: (operator?: NewOperator) => Promise<CreatedOperator>
  /** Actions of guests and channels. When a call returns, the service has processed what it caused. */
  readonly sandbox: Sandbox
  /** Returns the webhook deliveries to {@link TestLatchkey.receiverUrl}, oldest first, at most the last 1,000. */
  readonly deliveries: () => Promise<ReadonlyArray<Delivery>>
  /**
   * Moves the server's clock forward and runs everything that becomes due on the way. `duration` is milliseconds, or a text
   * such as `14d`, `3h`, `5m` or `90s`. At most 400 days. Returns the new time.
   */
  readonly advance: (duration: string | number) => Promise<Date>
  /** Restores the data and the time of the start. The tokens stay the same. */
  readonly reset: () => Promise<void>
  /** Stops the server and returns when its process has ended. A second call does nothing more. */
  readonly close: () => Promise<void>
}

/** The channels of the sandbox. */
export type SandboxChannel =
  | "airbnb"
  | "vrbo"
  | "booking.com"
  | "agoda"
  | "expedia"
  | "trip.com"
  | "ctrip"
  | "booking_site"

export interface NewOperator {
  /** Default: `Test operator`. */
  readonly name?: string | undefined
  /** A name of the IANA database, such as `Europe/Lisbon`. Default: `UTC`. */
  readonly time_zone?: string | undefined
  /** Three letters of ISO 4217. Default: `EUR`. */
  readonly currency?: string | undefined
  /** At most 20. Default: none. */
  readonly properties?: ReadonlyArray<NewProperty> | undefined
}

export interface NewProperty {
  readonly title: string
  /** The channel of its sandbox listing. Default: `airbnb`. */
  readonly channel_type?: SandboxChannel | undefined
  /** The price of a night, in major units of the operator's currency. */
  readonly base_price?: number | undefined
}

export interface CreatedOperator {
  readonly id: number
  /** May read and write. */
  readonly token: string
  readonly readOnlyToken: string
  /** In the order of the request. */
  readonly properties: ReadonlyArray<CreatedProperty>
}

export interface CreatedProperty {
  readonly property_id: number
  readonly title: string
  readonly channel_type: SandboxChannel
  /** The id of its sandbox listing. {@link Sandbox.book} needs it. */
  readonly listing_id: string
}

/** Rejects with a `LatchkeyTestError` if the channel does not allow the action. Codes: 400, 404, 409 or 422. */
export interface Sandbox {
  /** Books one or more rooms as a guest. */
  readonly book: (booking: SandboxBooking) => Promise<SandboxOrder>
  /** Cancels an order as its guest. */
  readonly cancel: (order: SandboxOrderKey) => Promise<SandboxOrder>
  /** Pays an order as its guest. */
  readonly pay: (payment: SandboxPayment) => Promise<SandboxOrder>
  /** Writes to the host as a guest: about an order, in a thread, or as an inquiry about a listing. */
  readonly writeMessage: (message: SandboxMessage | SandboxInquiry) => Promise<SandboxSentMessage>
  /** Reviews a stay as its guest. The stay must be over. */
  readonly writeReview: (review: SandboxReview) => Promise<SandboxWrittenReview>
  /** Makes the next call of the service to a channel fail, once. At most 100 failures can wait for their call. */
  readonly failNext: (failure?: SandboxFailure) => Promise<SandboxNextFailure>
}

/** Selects the record if several operators or channels have one with its id. */
export interface SandboxAccountFilter {
  readonly channel_type?: SandboxChannel | undefined
  readonly operator_id?: number | undefined
}

export interface SandboxStay {
  /** `YYYY-MM-DD`, not in the past of the server's clock. */
  readonly check_in_date: string
  /** `YYYY-MM-DD`, after `check_in_date`. */
  readonly check_out_date: string
  readonly guest_name: string
  readonly guest_phone?: string | undefined
  /** Identifies a guest who returns. Default: the name does. */
  readonly guest_email?: string | undefined
  /** Default: 2. */
  readonly adults?: number | undefined
  /** Default: 0. */
  readonly children?: number | undefined
}

export interface SandboxBooking extends SandboxStay, SandboxAccountFilter {
  /** One listing, or several of one channel account, separated by commas. */
  readonly listing_id: string
  /** Rooms of each listing. Default: 1. */
  readonly rooms?: number | undefined
  readonly remarks?: string | undefined
}

export interface SandboxOrderKey extends SandboxAccountFilter {
  readonly order_id: string
}

export interface SandboxPayment extends SandboxOrderKey {
  /** In major units. Default: what is left to pay. */
  readonly amount?: number | undefined
}

export interface SandboxMessage extends SandboxAccountFilter {
  /** The order in whose thread to write. Needed without `thread_id`. */
  readonly order_id?: string | undefined
  readonly thread_id?: string | undefined
  readonly text: string
  /** An `http` or `https` address. */
  readonly attachment_url?: string | undefined
}

export interface SandboxInquiry extends SandboxStay, SandboxAccountFilter {
  readonly listing_id: string
  readonly text: string
}

export interface SandboxReview extends SandboxOrderKey {
  /** From 0 to 5. */
  readonly score: number
  readonly text: string
  /** Scores from 0 to 10 by category, such as `cleanliness=5, location=4`. */
  readonly sub_scores?: string | undefined
}

export interface SandboxFailure extends SandboxAccountFilter {
  /**
   * `503` (default) and `502`: the channel responds with that status. `disconnected`: the channel rejects the credentials.
   * `refuses`: the channel rejects the next change.
   */
  readonly failure?: "503" | "502" | "refuses" | "disconnected" | undefined
  /** The reason that the channel gives when it refuses. */
  readonly reason?: string | undefined
}

/** Facts that every result of a sandbox action has. */
export interface SandboxResult {
  readonly operator_id: number
  /** The id of the guest's channel account. */
  readonly account_id: number
  readonly channel_type: SandboxChannel
  readonly guest_name: string
  /** How the service processed the channel's event, such as `applied`. Null if the event waits to be sent. */
  readonly ingest_result: string | null
}

export interface SandboxOrder extends SandboxResult {
  /** The channel's id of the order. */
  readonly order_id: string
  /** The id of the reservation in the service. Null if the service did not accept the order. */
  readonly reservation_code: string | null
  readonly status: "wait_accept" | "wait_pay" | "accepted" | "cancelled" | "denied" | "timeout"
  /** Rises with each change. */
  readonly version: number
  readonly currency: string
  /** In major units. */
  readonly total: number
  /** In major units. */
  readonly paid: number
  /** When the order times out, ISO 8601 in UTC. Null if it does not. */
  readonly expires_at: string | null
  /** One or more. */
  readonly rooms: ReadonlyArray<SandboxRoom>
}

/** A room of an order. Amounts are in major units of the order's currency. */
export interface SandboxRoom {
  readonly room_id: string
  readonly listing_id: string
  readonly check_in_date: string
  readonly check_out_date: string
  readonly number_of_adults: number
  readonly number_of_children?: number
  /** The price for the guest, with the commission. */
  readonly rate: number
  /** The part of `rate` that the channel keeps. */
  readonly commission: number
  /** The part of `rate` for the nights. */
  readonly accommodation: number
  /** The other parts of `rate`, such as a tax. */
  readonly details?: ReadonlyArray<{ readonly type: string; readonly description: string; readonly amount: number }>
}

export interface SandboxSentMessage extends SandboxResult {
  readonly thread_id: string
  readonly message_id: string
}

export interface SandboxWrittenReview extends SandboxResult {
  readonly order_id: string
  readonly score: number
}

/** The failure that waits for its call. */
export interface SandboxNextFailure {
  readonly failure: "503" | "502" | "refuses" | "disconnected"
  readonly reason: string
  /** Null for any channel. */
  readonly channel_type: SandboxChannel | null
  /** Null for any operator. */
  readonly operator_id: number | null
}

/** A webhook delivery to the built-in receiver. */
export interface Delivery {
  /** ISO 8601 in UTC, by the server's clock. */
  readonly received_at: string
  /** The HTTP status that the receiver responded with. */
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The text that was sent, because its signature covers it. `JSON.parse` reads it. */
  readonly body: string
}
