import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readInquire, readOffer, readReview, readWrite } from "../../connectors/sandbox/asked.ts"
import { instantText } from "../../contract/time.ts"
import { answer } from "./answer.ts"
import { inWords } from "./sandbox-guests.ts"
import { asked, ofOperator, part } from "./sandbox-lists.ts"
import { givenOf, text, whole, whose, withSandbox } from "./sandbox-with.ts"

// What guests of the sandbox say, as commands.

const written = ({
  thread_id,
  channel_type,
  heard
}: {
  readonly thread_id: string
  readonly channel_type: string
  readonly heard: string | null
}): string => `Written in thread ${thread_id} on ${channel_type}; the service: ${heard ?? "not told yet"}.`

export const inquire = Command.make(
  "inquire",
  {
    listing_id: Flag.String("listing").pipe(Flag.withDescription("listing_id")),
    check_in_date: Flag.String("check-in").pipe(Flag.withDescription("YYYY-MM-DD")),
    check_out_date: Flag.String("check-out").pipe(Flag.withDescription("YYYY-MM-DD")),
    guest_name: Flag.String("guest").pipe(Flag.withDescription("Who asks"), Flag.withDefault("Sandbox Guest")),
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      guest_phone: text("phone", "Phone of the guest"),
      guest_email: text("email", "E-mail address, by which the guest is known again; else by the name"),
      adults: whole("adults", "Adults, 2 unless said"),
      children: whole("children", "Children"),
      ...whose
    }
  },
  ({ optional, ...given }) =>
    answer(
      "sandbox inquire",
      withSandbox((market) => Effect.flatMap(readInquire({ ...given, ...givenOf(optional) }), market.inquire)),
      written
    )
).pipe(
  Command.withDescription("Ask about nights as a guest: a new thread, unless the guest has one"),
  Command.withExamples([
    {
      command:
        "latchkey sandbox inquire --listing 300-77 --check-in 2027-06-07 --check-out 2027-06-09 --text 'Is there a lift?'",
      description: "A question about two nights"
    }
  ])
)

export const write = Command.make(
  "write",
  {
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      thread_id: text("thread", "thread_id: where the guest writes"),
      order_id: text("order", "order_id instead: in the thread of that order"),
      attachment_url: text("attachment", "Address of what goes with it"),
      ...whose
    }
  },
  ({ optional, ...given }) =>
    answer(
      "sandbox write",
      withSandbox((market) => Effect.flatMap(readWrite({ ...given, ...givenOf(optional) }), market.write)),
      written
    )
).pipe(Command.withDescription("Write to the host as a guest"))

const offer = {
  offer_id: Argument.String("offer").pipe(Argument.withDescription("offer_id: the channel's own id of the offer")),
  optional: whose
}

export const acceptOffer = Command.make("accept-offer", offer, ({ offer_id, optional }) =>
  answer(
    "sandbox accept-offer",
    withSandbox((market) => Effect.flatMap(readOffer({ offer_id, ...givenOf(optional) }), market.acceptOffer)),
    inWords("is booked")
  )
).pipe(Command.withDescription("Accept an offer or a pre-approval as its guest: it is booked at once"))

export const declineOffer = Command.make("decline-offer", offer, ({ offer_id, optional }) =>
  answer(
    "sandbox decline-offer",
    withSandbox((market) => Effect.flatMap(readOffer({ offer_id, ...givenOf(optional) }), market.declineOffer)),
    ({ offer_id, status, heard }) => `Offer ${offer_id}: ${status}; the service: ${heard ?? "not told yet"}.`
  )
).pipe(Command.withDescription("Decline an offer or a pre-approval as its guest"))

export const review = Command.make(
  "review",
  {
    order_id: Argument.String("order").pipe(Argument.withDescription("order_id: the channel's own id of the order")),
    score: Flag.Finite("score").pipe(Flag.withDescription("From 0 to 5")),
    text: Flag.String("text").pipe(Flag.withDescription("What the guest writes")),
    optional: {
      sub_scores: text("sub-scores", "What it is made of: cleanliness=5,location=4"),
      ...whose
    }
  },
  ({ optional, ...given }) =>
    answer(
      "sandbox review",
      withSandbox((market) => Effect.flatMap(readReview({ ...given, ...givenOf(optional) }), market.review)),
      ({ order_id, score, heard }) =>
        `The guest of order ${order_id} gives it ${score} of 5; the service: ${heard ?? "not told yet"}.`
    )
).pipe(Command.withDescription("Review a stay as its guest, from the day of departure on"))

export const threads = Command.make("threads", part, ({ operator, ...given }) =>
  answer(
    "sandbox threads",
    withSandbox((_market, seeing) =>
      Effect.map(seeing.threads(asked(given), ofOperator(operator)), ({ rows, total }) => ({
        threads: rows.map(
          ({ said, time_zone: _zone, operator: _name, account_id, last_message_at, written, ...thread }) => ({
            ...thread,
            channel_account_id: account_id,
            guest: said.guest,
            inquiry: said.inquiry ?? null,
            last_message_at: instantText(last_message_at),
            written: written.map((each) => ({ ...each.said, heard: each.heard }))
          })
        ),
        total
      }))
    ),
    ({ threads }) =>
      threads.length === 0
        ? "Nobody has written."
        : threads
            .map(({ thread_id, channel_type, guest, written, offers }) =>
              [
                `${thread_id} on ${channel_type}: ${guest.name}`,
                ...written.map(({ sender, text, sent_at }) => `  ${sent_at}  ${sender}: ${text}`),
                ...offers.map(
                  ({ offer_id, offer_type, status, price, currency, check_in_date, check_out_date }) =>
                    `  ${offer_type} ${offer_id}: ${status}, ${price} ${currency}, ${check_in_date} to ${check_out_date}`
                )
              ].join("\n")
            )
            .join("\n")
  )
).pipe(Command.withDescription("List the threads of the sandbox with their last messages and offers, the latest first"))
