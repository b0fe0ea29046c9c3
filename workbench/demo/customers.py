"""Demo tools for customers: list, search, read and delete."""

from __future__ import annotations

from dataclasses import asdict

from workbench.demo.company import Company
from workbench.demo.people import Customer
from workbench.demo.tool import (
    DESTROYS,
    READS,
    DemoAnswer,
    DemoTool,
    Json,
    Progress,
    Refused,
    integer,
    listing,
    number,
    record,
    text,
)

CUSTOMER_ID = text("A customer number such as CUS-0042", pattern="^CUS-[0-9]{4}$")

_CUSTOMER = record(
    {
        "id": CUSTOMER_ID,
        "name": text("Full name"),
        "email": text("Mail address"),
        "phone": text("Telephone number with country code"),
        "address": text("Street, postcode and city"),
        "city": text("City"),
        "country": text("Country"),
        "date_of_birth": text("Date of birth", format="date"),
        "segment": text("Kind of customer", enum=["consumer", "business", "enterprise"]),
        "since": text("Customer since", format="date"),
        "lifetime_value": number("Everything ever bought, in EUR"),
    }
)
_PAGE = record({"customers": listing(_CUSTOMER), "total": integer("How many match in all")})


def find_customer(company: Company, customer_id: str) -> Customer:
    """Return a customer. Raises Refused for an unknown id."""
    found = company.customers.get(customer_id)
    if found is None:
        raise Refused(f"There is no customer {customer_id}. Numbers run from CUS-0001; search_customers finds them.")
    return found


def _list(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    fitting = [
        one
        for one in company.customers.values()
        if given.get("country") in (None, one.country) and given.get("segment") in (None, one.segment)
    ]
    return _page(fitting, given.get("offset", 0), given.get("limit", 50))


def _search(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    words = given["query"].casefold().split()
    fitting = [one for one in company.customers.values() if all(word in _searched(one) for word in words)]
    return _page(fitting, 0, given.get("limit", 10))


def _searched(customer: Customer) -> str:
    return f"{customer.id} {customer.name} {customer.email} {customer.phone} {customer.city}".casefold()


def _page(fitting: list[Customer], offset: int, limit: int) -> DemoAnswer:
    rows = [asdict(one) for one in fitting[offset : offset + limit]]
    return DemoAnswer({"customers": rows, "total": len(fitting)})


def _get(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    return DemoAnswer(asdict(find_customer(company, given["customer_id"])))


def _delete(company: Company, given: Json, progress: Progress) -> DemoAnswer:
    customer = find_customer(company, given["customer_id"])
    orders = [order.id for order in company.orders.values() if order.customer_id == customer.id]
    for order_id in orders:
        del company.orders[order_id]
    del company.customers[customer.id]
    return DemoAnswer({"deleted": customer.id, "orders_deleted": len(orders)})


TOOLS = (
    DemoTool(
        name="list_customers",
        title="List customers",
        description="List customers with their contact data, filtered by country or segment, a page at a time.",
        properties={
            "country": text("Only customers of this country, e.g. Germany"),
            "segment": text("Only this kind of customer", enum=["consumer", "business", "enterprise"]),
            "limit": integer("How many to return", minimum=1, maximum=500, default=50),
            "offset": integer("How many to skip", minimum=0, default=0),
        },
        work=_list,
        hints=READS,
        output=_PAGE,
    ),
    DemoTool(
        name="search_customers",
        title="Search customers",
        description="Find customers by words from their name, mail address, telephone number or city.",
        properties={
            "query": text("Words that must all appear", minLength=1),
            "limit": integer("How many to return", minimum=1, maximum=100, default=10),
        },
        required=("query",),
        work=_search,
        hints=READS,
        output=_PAGE,
    ),
    DemoTool(
        name="get_customer",
        title="Get a customer",
        description="Read one customer with address, date of birth and contact data.",
        properties={"customer_id": CUSTOMER_ID},
        required=("customer_id",),
        work=_get,
        hints=READS,
        output=_CUSTOMER,
    ),
    DemoTool(
        name="delete_customer",
        title="Delete a customer",
        description="Delete a customer and all of their orders for good. This cannot be undone.",
        properties={"customer_id": CUSTOMER_ID},
        required=("customer_id",),
        work=_delete,
        hints=DESTROYS,
        output=record({"deleted": CUSTOMER_ID, "orders_deleted": integer("How many orders went with the customer")}),
    ),
)
