import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What rules are going to do, stay by stay, and when stays are to be looked at again.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A stay whose plans are to be worked out, at due_at: timed work (jobs/timed-work.ts) that is taken in turn
  // (jobs/fair-queue.ts); account_id is the channel account of its order, 0 without one.
  yield* sql`
    CREATE TABLE automation_stays (
      operator_id bigint NOT NULL,
      stay_id bigint NOT NULL,
      account_id bigint NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      PRIMARY KEY (operator_id, stay_id),
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX automation_stays_due ON automation_stays (operator_id, account_id, due_at, stay_id)`
  // Marks and plans wait for weeks: whoever looks for what is due looks first whether anything is, whosever it be.
  yield* sql`CREATE INDEX automation_stays_first ON automation_stays (due_at)`
  // scheduled_at is what is shown; due_at is put off by whoever has it in hand. A plan of a stay is of a rule; an answer is to a
  // guest's message and of no rule until one answers. One that is settled is kept until kept_until, or else for a while after it was settled.
  yield* sql`
    CREATE TABLE automation_plans (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      rule_id bigint,
      kind text NOT NULL CHECK (kind IN ('send_message', 'review', 'answer')),
      stay_id bigint,
      conversation_id bigint,
      message_id bigint,
      account_id bigint NOT NULL DEFAULT 0,
      scheduled_at timestamptz NOT NULL,
      state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'skipped', 'deleted')),
      reason text,
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      settled_at timestamptz,
      kept_until timestamptz,
      PRIMARY KEY (operator_id, id),
      CHECK ((state = 'waiting') = (settled_at IS NULL)),
      CHECK ((stay_id IS NULL) <> (conversation_id IS NULL)),
      FOREIGN KEY (operator_id, rule_id) REFERENCES automation_rules (operator_id, id),
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`
    CREATE UNIQUE INDEX automation_plans_of_stays ON automation_plans (operator_id, stay_id, rule_id)
    WHERE stay_id IS NOT NULL`
  yield* sql`
    CREATE UNIQUE INDEX automation_plans_of_messages ON automation_plans (operator_id, message_id)
    WHERE message_id IS NOT NULL`
  // Answers have a worker of their own, which does not look through what waits for its day.
  yield* sql`
    CREATE INDEX automation_plans_due ON automation_plans (operator_id, account_id, due_at, id)
    WHERE state = 'waiting' AND kind = 'send_message'`
  yield* sql`
    CREATE INDEX automation_plans_reviews_due ON automation_plans (operator_id, account_id, due_at, id)
    WHERE state = 'waiting' AND kind = 'review'`
  yield* sql`
    CREATE INDEX automation_plans_first ON automation_plans (due_at) WHERE state = 'waiting' AND kind = 'send_message'`
  yield* sql`
    CREATE INDEX automation_plans_reviews_first ON automation_plans (due_at) WHERE state = 'waiting' AND kind = 'review'`
  yield* sql`
    CREATE INDEX automation_plans_messages ON automation_plans (operator_id, scheduled_at, id)
    WHERE state = 'waiting' AND kind <> 'review'`
  yield* sql`
    CREATE INDEX automation_plans_reviews ON automation_plans (operator_id, scheduled_at, id)
    WHERE state = 'waiting' AND kind = 'review'`
  yield* sql`CREATE INDEX automation_plans_kept ON automation_plans (kept_until) WHERE settled_at IS NOT NULL`
  yield* sql`
    CREATE INDEX automation_plans_settled ON automation_plans (settled_at)
    WHERE settled_at IS NOT NULL AND kept_until IS NULL`
  // Who looks through the answers of one conversation alone.
  yield* sql`
    CREATE INDEX automation_plans_of_conversations ON automation_plans (operator_id, conversation_id, id)
    WHERE state = 'waiting' AND conversation_id IS NOT NULL`

  // A conversation whose guest is answered: timed work that is never settled, as message_lanes are, and counts the questions that
  // wait in it. So one worker has all questions of a conversation in hand, and knows what was answered last: answered_at, and
  // in_a_row answers since a person of the host's side spoke before them.
  yield* sql`
    CREATE TABLE answer_lanes (
      operator_id bigint NOT NULL,
      conversation_id bigint NOT NULL,
      account_id bigint NOT NULL,
      waiting integer NOT NULL DEFAULT 0 CHECK (waiting >= 0),
      due_at timestamptz NOT NULL,
      attempts bigint NOT NULL DEFAULT 0,
      failures integer NOT NULL DEFAULT 0,
      answered_at timestamptz,
      in_a_row integer NOT NULL DEFAULT 0,
      PRIMARY KEY (operator_id, conversation_id),
      FOREIGN KEY (operator_id, conversation_id) REFERENCES conversations (operator_id, id)
    )`
  yield* sql`
    CREATE INDEX answer_lanes_due ON answer_lanes (operator_id, account_id, due_at, conversation_id) WHERE waiting > 0`
})
