import type { Person } from './accounts.ts';

/** Is told when a person's account was connected, removed or refused by the service. Returns at once, never throws. */
export type AccountObserver = (person: Person) => void;

/** Passes on changes of accounts from where they are stored to what people see of them. */
export interface AccountChanges {
  /** Called after the change is stored, by the process that stored it. */
  changed: AccountObserver;
  /** Registers one more observer. */
  listen(observer: AccountObserver): void;
}

export function createAccountChanges(): AccountChanges {
  const observers: AccountObserver[] = [];
  return {
    changed(person) {
      for (const observer of observers) observer(person);
    },
    listen: (observer) => void observers.push(observer),
  };
}
