"""Holdings over several processes are those of one."""

from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from app.running.sharing import Sharing
from app.server.api.middleware.holdings import LocalHoldings, SharedHoldings, column_of

CLIENTS = st.tuples(st.sampled_from(["127.0.0.1", "::1"]), st.sampled_from(["", "a", "b"]))


@given(changes=st.lists(st.tuples(st.integers(0, 2), CLIENTS, st.integers(1, 1000)), max_size=30), data=st.data())
def test_shared_holdings_are_those_of_one_process(changes: list[tuple[int, tuple[str, str], int]], data: st.DataObject) -> None:
    clients = {client for _, client, _ in changes}
    assume(len(set(map(column_of, clients))) == len(clients))
    sharing = Sharing(3, Path())
    shared, local = SharedHoldings(sharing), LocalHoldings()
    given_back = data.draw(st.lists(st.sampled_from(changes), unique=True)) if changes else []
    for sign, part in ((1, changes), (-1, given_back)):
        for place, client, count in part:
            sharing.place = place
            shared.add(client, sign * count)
            local.add(client, sign * count)
    assert (shared.total, shared.clients) == (local.total, local.clients)
    assert all(shared.of(client) == local.of(client) for _, client, _ in changes)
