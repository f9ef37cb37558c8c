import { buildIndexConcurrently } from "../src/platform/database/concurrent-index.ts"

// Guests of conversations that led to no order are forgotten by the age of the last message, an operator after the other. Nothing
// is left of a conversation in this index once its guest is erased.

export default buildIndexConcurrently({
  name: "conversations_of_guests",
  unique: false,
  on: `conversations (operator_id, last_message_at, id) WHERE (guest_name IS NOT NULL OR guest_phone IS NOT NULL
    OR guest_email IS NOT NULL OR note <> '')`
})
