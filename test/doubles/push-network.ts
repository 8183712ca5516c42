/** A provider's call of a webhook, as the service would receive it. */
export type Push = { address: string; headers: Record<string, string>; body: string };

/** The network's effect on pushes: none, one or several copies of each, in any order. */
export type Weather = {
  copies?: (push: Push) => number;
  arrange?: (pushes: Push[]) => Push[];
};

/**
 * Carries a provider's notifications. They wait until they are delivered, so that a test decides
 * which are lost, doubled, late or out of order.
 */
export class PushNetwork {
  readonly waiting: Push[] = [];
  /** Statuses that the service answered, in order. */
  readonly answered: number[] = [];
  receive: (push: Push) => Promise<number> = async () => 200;

  send(push: Push): void {
    this.waiting.push(push);
  }

  async deliver({ copies = () => 1, arrange = (all) => all }: Weather = {}): Promise<void> {
    const pushes = this.waiting.splice(0);
    const deliveries = pushes.flatMap((push) => Array.from({ length: copies(push) }, () => push));
    for (const push of arrange(deliveries)) this.answered.push(await this.receive(push));
  }
}
