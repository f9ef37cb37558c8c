import { Effect } from "effect"
import { buildIndexConcurrently } from "../src/platform/database/concurrent-index.ts"

// What is kept for so many days only is found by its age, an operator after the other: messages, images of messages, and stays
// that say something of their guest. Nothing is left of a stay in the last one once its guest is erased.

export default Effect.forEach(
  [
    {
      name: "messages_by_age",
      unique: false,
      on: `messages (operator_id, created_at, id) WHERE (content <> '(erased)' OR sender_name IS NOT NULL
        OR attachment_url IS NOT NULL OR image_id IS NOT NULL)`
    },
    {
      name: "images_by_age",
      unique: false,
      on: "images (operator_id, created_at, id) WHERE kind = 'message' AND delete_at IS NULL"
    },
    {
      name: "stays_of_guests",
      unique: false,
      on: `stays (operator_id, check_out_date, id) WHERE (guest_name IS NOT NULL OR guest_phone IS NOT NULL
        OR guest_email IS NOT NULL OR remarks <> '' OR channel_remarks <> '' OR custom_fields IS NOT NULL
        OR guide_token IS NOT NULL)`
    }
  ],
  buildIndexConcurrently,
  { discard: true }
)
