"""Clients take turns for few places."""

import asyncio

from app.server.service.turns import Turns


def test_the_client_with_the_fewest_places_is_next() -> None:
    order: list[str] = []

    async def work(turns: Turns, client: str, seconds: float) -> None:
        async with turns.turn(client):
            order.append(client)
            await asyncio.sleep(seconds)

    async def run() -> None:
        turns = Turns(2)
        many = [asyncio.create_task(work(turns, "many", 0.01)) for _ in range(5)]
        await asyncio.sleep(0)
        few = asyncio.create_task(work(turns, "few", 0.01))
        await asyncio.gather(*many, few)

    asyncio.run(run())
    assert order[:3] == ["many", "many", "few"] and order.count("many") == 5


def test_a_client_that_leaves_gives_its_place_back() -> None:
    async def run() -> bool:
        turns = Turns(1)
        async with turns.turn("a"):
            waiting = asyncio.create_task(turns.turn("b").__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(1), turns.turn("c"):
            return True
        return False

    assert asyncio.run(run())
