import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// The whole record of orders, their stays, guests and identity images, and which tags a stay carries.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // version rises with every change of what the calendar, the money and the events of an order depend on: a change that
  // was worked out from an older version finds no row.
  yield* sql`
    ALTER TABLE orders
      ADD version bigint NOT NULL DEFAULT 0,
      ADD custom_channel_id bigint,
      ADD creator text NOT NULL DEFAULT 'System',
      ADD booked_at timestamptz NOT NULL,
      ADD cancelled_at timestamptz,
      ADD conversation_id text,
      ADD cancellation_policy_category text,
      ADD CONSTRAINT orders_cancelled_at CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL)),
      ADD CONSTRAINT orders_channel_id UNIQUE (operator_id, channel_id, channel_type)`
  yield* sql`CREATE INDEX orders_booked_at ON orders (operator_id, booked_at DESC, id DESC)`
  yield* sql`CREATE INDEX orders_created_at ON orders (operator_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX orders_cancelled_at ON orders (operator_id, cancelled_at DESC NULLS LAST, id DESC)`

  // rate includes the commission. accommodation_revenue (0001) is the part of it that is for the nights themselves.
  // rate_details is what the channel itemized; null means the plain case, nights and commission.
  yield* sql`
    ALTER TABLE stays
      ADD listing_id text,
      ADD number_of_guests integer NOT NULL DEFAULT 1 CHECK (number_of_guests >= 1),
      ADD number_of_adults integer NOT NULL DEFAULT 1 CHECK (number_of_adults >= 0),
      ADD number_of_children integer NOT NULL DEFAULT 0 CHECK (number_of_children >= 0),
      ADD number_of_infants integer NOT NULL DEFAULT 0 CHECK (number_of_infants >= 0),
      ADD number_of_pets integer NOT NULL DEFAULT 0 CHECK (number_of_pets >= 0),
      ADD stay_status text NOT NULL DEFAULT 'checkin_pending'
        CHECK (stay_status IN ('checkin_pending', 'in_house', 'stay_completed')),
      ADD guest_name text,
      ADD guest_phone text,
      ADD guest_email text,
      ADD rate numeric(18, 4) NOT NULL DEFAULT 0 CHECK (rate >= 0),
      ADD commission numeric(18, 4) CHECK (commission >= 0),
      ADD rate_details jsonb,
      ADD additional_fees jsonb NOT NULL DEFAULT '[]',
      ADD remarks text NOT NULL DEFAULT '',
      ADD channel_remarks text NOT NULL DEFAULT '',
      ADD custom_fields jsonb,
      ADD arrival_at time(0),
      ADD departure_at time(0),
      ADD lock_code text,
      ADD lock_code_visible_after text DEFAULT '12:00',
      ADD deposit numeric(18, 4) CHECK (deposit >= 0),
      ADD id_required text NOT NULL DEFAULT 'not_required'
        CHECK (id_required IN ('not_required', 'required', 'required_with_review')),
      ADD check_in_guide_url text NOT NULL DEFAULT ''`
  yield* sql`CREATE INDEX stays_check_in ON stays (operator_id, check_in_date DESC, id DESC)`
  yield* sql`CREATE INDEX stays_check_out ON stays (operator_id, check_out_date DESC, id DESC)`

  yield* sql`
    CREATE TABLE guests (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      stay_id bigint NOT NULL,
      name text NOT NULL,
      phone text,
      email text,
      id_type text CHECK (id_type IN ('passport', 'id_card', 'others')),
      id_number text,
      gender text CHECK (gender IN ('male', 'female')),
      country text,
      is_booker boolean NOT NULL DEFAULT false,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id)
    )`
  yield* sql`CREATE INDEX guests_stay ON guests (operator_id, stay_id, id)`

  // Uploaded through online check-in for an order, and linked to a guest of it or not yet.
  yield* sql`
    CREATE TABLE identity_images (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      order_id bigint NOT NULL,
      guest_id bigint,
      large_url text NOT NULL,
      extra_large_url text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, order_id) REFERENCES orders (operator_id, id),
      FOREIGN KEY (operator_id, guest_id) REFERENCES guests (operator_id, id)
    )`
  yield* sql`CREATE INDEX identity_images_order ON identity_images (operator_id, order_id, id)`
  yield* sql`CREATE INDEX identity_images_guest ON identity_images (operator_id, guest_id, id) WHERE guest_id IS NOT NULL`

  // A tag is one of the service's or of the operator's own; see usable_reservation_tags (0003) for what stays_version does.
  yield* sql`
    CREATE TABLE stay_tags (
      operator_id bigint NOT NULL,
      stay_id bigint NOT NULL,
      tag_id bigint NOT NULL,
      stays_version bigint NOT NULL,
      PRIMARY KEY (operator_id, stay_id, tag_id),
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id)
    )`
})
