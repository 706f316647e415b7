"""The hosts that may be asked for the addresses in a stranger's file: those of the public network alone."""

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")


async def addresses_of(host: str, port: int, *, local: bool = False) -> tuple[str, ...]:
    """Return the addresses of a host, the best first.

    Raises OSError for a host that has none. Raises ValueError, unless ``local`` hosts are allowed, where one of them
    belongs to this machine, a private network or nobody: whoever wrote the file must not reach into yours.
    """
    rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(row[4][0]) for row in rows))
    inner = () if local else [address for address in addresses if not is_public(address)]
    if inner:
        raise ValueError(f"is {inner[0]}, on this machine or a private network; allow it with `local_hosts=True`")
    return addresses


def is_public(text: str) -> bool:
    """Return True if an address belongs to a host of the public network, also one of IPv4 within IPv6.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    address = _unwrapped(ip_address(text.partition("%")[0]))
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the address of IPv4 that one of IPv6 leads to (mapped, 6to4, NAT64), else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    through = IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
    return address.ipv4_mapped or address.sixtofour or through or address
