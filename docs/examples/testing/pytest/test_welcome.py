from datetime import datetime

from welcome import Welcome

STAY = {"check_in_date": "2027-02-01", "check_out_date": "2027-02-04", "guest_name": "Ada Moreau"}


def to_seconds(time):
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


class Host:
    """An operator with one listing, whose webhooks reach the built-in receiver."""

    def __init__(self, server, channel_type, status=200):
        self.server = server
        operator = server.post("operators", {"properties": [{"title": "Harbour flat", "channel_type": channel_type}]})
        self.listing_id = operator["properties"][0]["listing_id"]
        self.welcome = Welcome(server.url, operator["token"], secret="")
        url = f"{server.url}/test/receiver?status={status}"
        events = ["reservation_created", "reservation_updated"]
        self.welcome.secret = self.welcome.call("POST", "/webhooks", {"url": url, "events": events})["secret"]

    def book(self):
        booking = self.server.post("sandbox/bookings", {"listing_id": self.listing_id, **STAY})
        return booking["reservation_code"]

    def receive_all(self):
        return [
            self.welcome.receive(delivery["headers"], delivery["body"], to_seconds(delivery["received_at"]))
            for delivery in self.server.deliveries()
        ]

    def read_stay(self, code):
        return self.welcome.call("GET", f"/reservations?reservation_code={code}")["reservations"][0]

    def read_messages(self, code):
        conversation_id = self.read_stay(code)["conversation_id"]
        return self.welcome.call("GET", f"/conversations/{conversation_id}")["messages"]


def test_a_booking_is_welcomed(latchkey):
    host = Host(latchkey, "booking.com")
    code = host.book()
    assert host.receive_all() == [204]
    assert host.read_stay(code)["status"] == "accepted"
    (message,) = host.read_messages(code)
    assert message["content"] == "Welcome, Ada Moreau! We expect you on 2027-02-01."


def test_a_changed_webhook_is_rejected(latchkey):
    host = Host(latchkey, "booking.com")
    host.book()
    (delivery,) = latchkey.deliveries()
    now = to_seconds(delivery["received_at"])
    assert host.welcome.receive(delivery["headers"], delivery["body"] + " ", now) == 401


def test_a_failed_webhook_is_sent_again(latchkey):
    host = Host(latchkey, "booking.com", status=503)
    host.book()
    latchkey.post("clock", {"advance": "1m"})
    first, second = latchkey.deliveries()
    assert first["status"] == second["status"] == 503
    assert first["headers"]["webhook-id"] == second["headers"]["webhook-id"]


def test_a_request_that_expires_is_not_welcomed(latchkey):
    host = Host(latchkey, "airbnb")
    code = host.book()
    latchkey.post("clock", {"advance": "2d"})
    host.receive_all()
    assert host.read_stay(code)["status"] == "timeout"
    assert host.read_messages(code) == []


def test_the_message_arrives_although_the_channel_fails_once(latchkey):
    host = Host(latchkey, "booking.com")
    code = host.book()
    latchkey.post("sandbox/failures", {"failure": "503"})
    host.receive_all()
    latchkey.post("clock", {"advance": 0})  # Runs the work that is due.
    (message,) = host.read_messages(code)
    assert message["delivery"] == "queued"
    assert message["delivery_reason"] is not None
    latchkey.post("clock", {"advance": "1h"})
    (message,) = host.read_messages(code)
    assert message["delivery"] == "sent"
